/** What an account consists of: machines, currencies, products, and the product map of each machine. */
import { type Clock, HOUR, MINUTE } from '../../kernel/clock.ts'
import { ttlCache } from '../cache/ttl-cache.ts'
import type { Freshness, UnreadableRow, Result } from '../contract.ts'
import { fail, succeed } from '../result.ts'
import type { LynxApi } from './api.ts'
import { type ProductMap, readProductMap } from './lanes.ts'
import { type LynxMachine, currencyProblem, readCurrencies, readMachines } from './machines.ts'
import { type OperatorProduct, readOperatorProducts } from './products.ts'
import type { Currency } from './reply.ts'
import type { LynxSettings } from './settings.ts'

const PAGE_SIZE = 100
const PAGES_MAX = 200
/** What changes when an operator edits the account. */
const ACCOUNT_FRESH_MS = 5 * MINUTE
const CURRENCIES_FRESH_MS = 24 * HOUR
const MACHINES_MAX = PAGE_SIZE * PAGES_MAX
const ALL = ''

export type Products = ReadonlyMap<string, OperatorProduct>
type Machines = ReadonlyMap<string, LynxMachine>

export type LynxAccount = ReturnType<typeof lynxAccount>

export const machinePath = (id: string): string => `/v1/machines/${encodeURIComponent(id)}`

export function lynxAccount(
  api: LynxApi,
  { operatorId, actorId, price }: LynxSettings,
  { clock, currency }: { readonly clock: Clock; readonly currency: Currency },
) {
  const machineLists = ttlCache<Machines>({ clock, ttlMs: ACCOUNT_FRESH_MS, entries: 1 })
  const currencyLists = ttlCache<ReadonlyMap<number, string>>({ clock, ttlMs: CURRENCIES_FRESH_MS, entries: 1 })
  const productLists = ttlCache<Products>({ clock, ttlMs: ACCOUNT_FRESH_MS, entries: 1 })
  const productMaps = ttlCache<ProductMap>({ clock, ttlMs: ACCOUNT_FRESH_MS, entries: MACHINES_MAX })

  const readPage = (offset: number) => {
    const query = new URLSearchParams({
      ResultsLimit: String(PAGE_SIZE),
      ResultsOffset: String(offset),
      ...(actorId !== undefined && { ActorID: actorId }),
    })
    return api.get('machines', `/v1/machines?${query.toString()}`, readMachines)
  }

  /** There is no total, and a page may be shorter than asked for: the list ends with a page that has nothing new. */
  async function readAllMachines(): Promise<Result<Machines>> {
    const machines = new Map<string, LynxMachine>()
    const unreadable = new Map<string, UnreadableRow>()
    let offset = 0
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await readPage(offset)
      if (!page.ok) return page
      const known = machines.size + unreadable.size
      for (const machine of page.value) machines.set(machine.id, machine)
      for (const row of page.unreadable ?? []) unreadable.set(row.id ?? row.detail, row)
      offset += page.value.length + (page.unreadable?.length ?? 0)
      if (machines.size + unreadable.size === known) return succeed(machines, [...unreadable.values()])
    }
    return fail('unknown', 'The platform lists more machines than we accept', { raw: `more than ${MACHINES_MAX}` })
  }

  const currencies = () =>
    currencyLists.get(ALL, () => api.get('currencies', '/v1/currencies', (json) => readCurrencies(json)))
  const machines = ({ live = false }: Freshness = {}) => machineLists[live ? 'live' : 'get'](ALL, readAllMachines)
  const readMap = (machineId: string) => () =>
    api.get('inventory', `${machinePath(machineId)}/machineProducts`, (json) =>
      readProductMap(json, { machineId, priceField: price, currency, nowMs: clock.now() }),
    )

  /** Why the amounts of a machine must not be read; undefined when they may. */
  async function findCurrencyProblem(machine: LynxMachine): Promise<Result<string | undefined>> {
    if (machine.currencyId === null) return succeed(undefined)
    const codes = await currencies()
    return codes.ok ? succeed(currencyProblem(machine, codes.value, currency)) : codes
  }

  return {
    machines,
    findCurrencyProblem,
    /** A machine whose amounts may be read. `absent`: the account has no such machine. */
    async machine(id: string): Promise<Result<LynxMachine>> {
      const kept = await machines()
      if (!kept.ok) return kept
      // One that is not listed may be new.
      const listed = kept.value.has(id) ? kept : await machines({ live: true })
      if (!listed.ok) return listed
      const machine = listed.value.get(id)
      if (!machine) return fail('absent', 'The platform has no machine with this id in this account')
      const problem = await findCurrencyProblem(machine)
      if (!problem.ok) return problem
      return problem.value === undefined
        ? succeed(machine)
        : fail('unknown', `The amounts of this machine cannot be used: ${problem.value}`, { raw: 'currency' })
    },
    products: () =>
      productLists.get(ALL, () =>
        api.get('products', `/v1/operators/${encodeURIComponent(operatorId)}/products`, (json) =>
          readOperatorProducts(json, currency),
        ),
      ),
    productMap: (id: string) => productMaps.live(id, readMap(id)),
    /** As last read within a few minutes: for naming the products of sales. */
    recentProductMap: (id: string) => productMaps.get(id, readMap(id)),
  }
}
