/**
 * The sales of all machines of an account. The platform shows them per machine, without a window, so a reading takes one
 * call for each machine; the pages of one read of the ledger are cut from one reading.
 */
import { SECOND } from '../../kernel/clock.ts'
import { count } from '../../kernel/text.ts'
import { mapConcurrent } from '../../lib/concurrency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import { ttlCache } from '../cache/ttl-cache.ts'
import type { Failure, UnreadableRow, Result } from '../contract.ts'
import type { LedgerRecord, MachineCash } from '../machine-vendor.ts'
import { fail, succeed } from '../result.ts'
import { type LynxAccount, type Products, machinePath } from './account.ts'
import type { LynxApi } from './api.ts'
import type { LynxMachine } from './machines.ts'
import type { Currency } from './reply.ts'
import { type LastSales, cashOf, readLastSales } from './sales.ts'

const MACHINES_AT_ONCE = 4
const FRESH_MS = 30 * SECOND
const NAMED_FAILURES = 3

interface AccountSales {
  readonly records: readonly LedgerRecord[]
  readonly completeFrom: Readonly<Record<string, number>>
  readonly unreadable: readonly UnreadableRow[]
  /** By machine. */
  readonly cash: ReadonlyMap<string, MachineCash>
}

type Needs = Pick<AdapterNeeds, 'clock' | 'notice' | 'reportOlderSales'>

export function accountSales(api: LynxApi, account: LynxAccount, currency: Currency, needs: Needs) {
  const readings = ttlCache<AccountSales>({ clock: needs.clock, ttlMs: FRESH_MS, entries: 1 })
  /** Machines whose last reading failed, with the time of the last good one before. */
  const missedSince = new Map<string, number | undefined>()
  const readAt = new Map<string, number>()
  let lastNotice = ''

  async function readMachine(machine: LynxMachine, products: Products): Promise<Result<LastSales>> {
    const problem = await account.findCurrencyProblem(machine)
    if (!problem.ok) return problem
    if (problem.value !== undefined) return fail('unknown', problem.value, { raw: 'currency' })
    const map = await account.recentProductMap(machine.id)
    if (!map.ok) return map
    return api.get('ledger', `${machinePath(machine.id)}/lastSales`, (json) =>
      readLastSales(json, { machineId: machine.id, currency, lanes: map.value.lanes, products }),
    )
  }

  async function readAll(): Promise<Result<AccountSales>> {
    const startedAt = needs.clock.now()
    const machines = await account.machines()
    if (!machines.ok) return machines
    const products = await account.products()
    if (!products.ok) return products
    let limit: Failure | undefined
    const listed = [...machines.value.values()]
    const results = await mapConcurrent(MACHINES_AT_ONCE, listed, async (machine) => {
      // Asked to slow down: the other machines would only be refused as well.
      if (limit) return { machine, result: limit }
      const result = await readMachine(machine, products.value)
      if (!result.ok && result.reason === 'limited') limit = result
      return { machine, result }
    })
    if (limit) return limit
    const read = results.flatMap(({ machine, result }) => (result.ok ? [{ machine, result }] : []))
    const failures = results.flatMap(({ machine, result }) => (result.ok ? [] : [{ machine, failure: result }]))
    const [first] = failures
    if (first && read.length === 0) return first.failure
    noteFailures(failures)
    noteReadings(
      read.map(({ machine }) => machine),
      startedAt,
    )
    return succeed({
      records: read.flatMap(({ result }) => result.value.records),
      completeFrom: Object.fromEntries(
        read.flatMap(({ machine, result: { value } }) =>
          value.completeFrom === undefined ? [] : [[machine.id, value.completeFrom]],
        ),
      ),
      cash: new Map(
        read.flatMap(({ machine, result }) => {
          // A sale that cannot be read may have been paid in cash.
          const cash = result.unreadable?.length ? undefined : cashOf(result.value, startedAt)
          return cash ? [[machine.id, cash] as const] : []
        }),
      ),
      unreadable: [...(machines.unreadable ?? []), ...read.flatMap(({ result }) => result.unreadable ?? [])],
    })
  }

  /** Once for the same failures, not with every reading. */
  function noteFailures(failures: readonly { readonly machine: LynxMachine; readonly failure: Failure }[]): void {
    for (const { machine } of failures)
      if (!missedSince.has(machine.id)) missedSince.set(machine.id, readAt.get(machine.id))
    const named = failures.slice(0, NAMED_FAILURES).map(({ machine, failure }) => `${machine.id}: ${failure.message}`)
    const text =
      failures.length === 0
        ? ''
        : `The sales of ${count(failures.length, 'machine')} could not be read; those of the others count (${named.join('; ')})`
    if (text !== '' && text !== lastNotice) needs.notice?.(text)
    lastNotice = text
  }

  /** A machine that can be read again has sales that are older than those read meanwhile. */
  function noteReadings(machines: readonly LynxMachine[], at: number): void {
    for (const { id } of machines) {
      if (missedSince.has(id)) needs.reportOlderSales(missedSince.get(id))
      missedSince.delete(id)
      readAt.set(id, at)
    }
  }

  return { read: () => readings.get('', () => readAll()) }
}
