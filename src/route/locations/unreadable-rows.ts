/**
 * Reports rows that an upstream sent and its adapter could not read. Each row is logged and gets one event, not one
 * per read: the store remembers known problems. A row that can be read again, or is gone, is forgotten, so that a problem
 * that comes back is reported again.
 */
import type { Namespace } from '../../kernel/ids.ts'
import type { Store } from '../../store/store.ts'
import type { UnreadableRow, Result } from '../../vendors/contract.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import type { Registry } from '../../vendors/registry.ts'
import { wrapVendors } from '../../vendors/wrap-vendors.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import {
  deleteUnreadableRows,
  insertUnreadableRows,
  inventorySource,
  listUnreadableRows,
  rowOf,
  storedProblem,
} from './unreadable-row-records.ts'
import type { RowKey } from './unreadable-row-records.ts'
import { rowName, unreadableEvent } from './texts.ts'

const LOGGED_MAX = 20
/** Rows remembered of one listing. */
const REMEMBERED_MAX = 1_000

type Deps = Pick<Context, 'store' | 'clock' | 'log' | 'vendors'>

interface VendorRead extends RowKey {
  readonly location?: string
  readonly unreadable: readonly UnreadableRow[]
  /** Whether this read shows that a row which was unreadable earlier is readable now or gone. */
  readonly isResolved: (id: string) => boolean
}

/** The stored problems, as far as this process knows: by source, then by row. */
type KnownProblems = Map<string, Map<string, string>>

/** The same vendors; rows that cannot be read are reported before the result is returned. */
export function reportUnreadableRows(deps: Deps): Registry {
  const { vendors, store } = deps
  let loading: Promise<KnownProblems> | undefined
  const load = () =>
    (loading ??= loadKnownProblems(store).catch((error: unknown) => ((loading = undefined), Promise.reject(error))))
  /** Caches return the same list again. */
  const reported = new WeakSet<readonly UnreadableRow[]>()

  async function report(read: VendorRead): Promise<void> {
    if (reported.has(read.unreadable)) return
    const known = await load()
    const key = `${read.namespace} ${read.source}`
    const before = known.get(key)
    const rows = new Map(read.unreadable.slice(0, REMEMBERED_MAX).map((row) => [rowName(row), row]))
    const newProblems = [...rows].filter(([id, row]) => before?.get(id) !== storedProblem(row))
    const resolved = [...(before?.keys() ?? [])].filter((id) => !rows.has(id) && read.isResolved(id))
    if (newProblems.length + resolved.length > 0) {
      await saveProblems(deps, read, { newProblems: new Map(newProblems), resolved, before })
      const after = new Map(before)
      for (const id of resolved) after.delete(id)
      for (const [id, row] of newProblems) after.set(id, storedProblem(row))
      if (after.size > 0) known.set(key, after)
      else known.delete(key)
    }
    if (read.unreadable.length > 0) reported.add(read.unreadable)
  }

  async function reportUnreadable<T>(result: Result<T>, read: Omit<VendorRead, 'unreadable'>): Promise<Result<T>> {
    if (result.ok) await report({ ...read, unreadable: result.unreadable ?? [] })
    return result
  }

  const supplyVendor = (namespace: Namespace, vendor: SupplyVendor): SupplyVendor => ({
    ...vendor,
    catalog: async (query) =>
      reportUnreadable(await vendor.catalog(query), {
        namespace,
        source: 'catalog',
        // A search result says nothing about the rows it leaves out.
        isResolved: () => !query?.keyword,
      }),
    // Replies are looked for when an order is asked about.
    async orderStatus(ref) {
      const status = await vendor.orderStatus(ref)
      const files = vendor.unreadableFiles?.()
      if (files) await report({ namespace, source: 'files', unreadable: files, isResolved: () => true })
      return reportUnreadable(status, { namespace, source: 'replies', isResolved: (id) => id === ref })
    },
  })

  const machineVendor = (namespace: Namespace, vendor: MachineVendor): MachineVendor => ({
    ...vendor,
    inventory: async (location, freshness) =>
      reportUnreadable(await vendor.inventory(location, freshness), {
        namespace,
        source: inventorySource(location),
        location,
        isResolved: () => true,
      }),
    async ledger(query) {
      const page = await vendor.ledger(query)
      const readable = new Set(page.ok ? page.value.records.map(({ orderNo }) => orderNo) : [])
      const files = page.ok ? page.value.unreadableFiles : undefined
      if (files) await report({ namespace, source: 'files', unreadable: files, isResolved: () => true })
      return reportUnreadable(page, { namespace, source: 'ledger', isResolved: (id) => readable.has(id) })
    },
  })

  return wrapVendors(vendors, { supply: supplyVendor, machine: machineVendor })
}

async function loadKnownProblems({ db }: Store): Promise<KnownProblems> {
  const bySource = Map.groupBy(await listUnreadableRows(db), ({ namespace, source }) => `${namespace} ${source}`)
  return new Map(
    [...bySource].map(([key, rows]) => [key, new Map(rows.map(({ id, problem }) => [id, problem] as const))]),
  )
}

interface ChangedProblems {
  readonly newProblems: ReadonlyMap<string, UnreadableRow>
  readonly resolved: readonly string[]
  readonly before: ReadonlyMap<string, string> | undefined
}

/** When several instances find the same problem, one inserts the row, and with it the event. */
async function saveProblems(
  deps: Deps,
  read: VendorRead,
  { newProblems, resolved, before }: ChangedProblems,
): Promise<void> {
  const { store, clock, log } = deps
  const { namespace, source, location } = read
  await store.transaction(async (tx) => {
    await deleteUnreadableRows(tx, read, resolved)
    const problems = new Map([...newProblems].map(([id, row]) => [id, storedProblem(row)]))
    const ids = await insertUnreadableRows(tx, read, problems, clock.now())
    // That it stands in another row of the next list is no news.
    const isNews = ([id, { problem }]: readonly [string, UnreadableRow]) =>
      ids.has(id) && rowOf(before?.get(id) ?? '').problem !== problem
    const added = [...newProblems].filter(isNews).map(([, row]) => row)
    if (added.length > 0) await recordEvent(deps, tx, unreadableEvent(added, namespace, location))
  })
  if (newProblems.size > 0)
    log.warn(
      {
        namespace,
        source,
        unreadable: newProblems.size,
        rows: [...newProblems].slice(0, LOGGED_MAX).map(([id, { detail }]) => `${id}: ${detail}`),
      },
      'rows of an upstream cannot be read and were left out',
    )
}
