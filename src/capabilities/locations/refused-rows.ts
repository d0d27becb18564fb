/**
 * Rows that an upstream sent and its adapter could not read (2.9). Whoever reads, the row is logged and gets one event,
 * not one per read: the store remembers which problems are known. It forgets a row that can be read again or is gone,
 * so that a problem that comes back is reported again.
 */
import type { Namespace } from '../../kernel/ids.ts'
import { info, warning } from '../../kernel/message.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Queryable, Store } from '../../store/store.ts'
import type { Result, MachineVendor, RefusedRow, SupplyVendor } from '../../vendors/contract.ts'
import type { Registry } from '../../vendors/registry.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'

/** Rows named in one text or log line. */
const NAMED_MAX = 5
const LOGGED_MAX = 20
/** Rows remembered of one listing. */
const REMEMBERED_MAX = 1_000
/** Rows loaded at the first read of a process; far above any route. */
const LOADED_MAX = 20_000

type Needs = Pick<Context, 'store' | 'clock' | 'log' | 'vendors'>

interface Read {
  readonly namespace: Namespace
  readonly source: string
  readonly location?: string
  readonly refused: readonly RefusedRow[]
  /** Of the rows known as refused, those that this read shows to be readable or gone. */
  readonly isResolved: (id: string) => boolean
}

/** What the store holds, as far as this process knows: source to id to problem. */
type Known = Map<string, Map<string, string>>

const idOf = ({ id, kind, problem }: Pick<RefusedRow, 'id' | 'kind' | 'problem'>): string =>
  id ?? `a ${kind} without a code, ${problem}`

/** The same vendors; reads that had to refuse rows are reported before they are answered. */
export function reportRefusedRows(needs: Needs): Registry {
  const { vendors, store } = needs
  let loading: Promise<Known> | undefined
  const load = () =>
    (loading ??= loadKnown(store).catch((error: unknown) => ((loading = undefined), Promise.reject(error))))
  /** Answers come again out of caches with the very same list. */
  const reported = new WeakSet<readonly RefusedRow[]>()

  async function report(read: Read): Promise<void> {
    if (reported.has(read.refused)) return
    const known = await load()
    const key = `${read.namespace} ${read.source}`
    const before = known.get(key)
    const rows = new Map(read.refused.slice(0, REMEMBERED_MAX).map((row) => [idOf(row), row]))
    const fresh = [...rows].filter(([id, { problem }]) => before?.get(id) !== problem)
    const resolved = [...(before?.keys() ?? [])].filter((id) => !rows.has(id) && read.isResolved(id))
    if (fresh.length + resolved.length > 0) {
      await remember(needs, read, new Map(fresh), resolved)
      const after = new Map(before)
      for (const id of resolved) after.delete(id)
      for (const [id, { problem }] of fresh) after.set(id, problem)
      if (after.size > 0) known.set(key, after)
      else known.delete(key)
    }
    if (read.refused.length > 0) reported.add(read.refused)
  }

  /** Most reads refuse nothing, and then mostly nothing was refused before. */
  async function checked<T>(answer: Result<T>, read: Omit<Read, 'refused'>): Promise<Result<T>> {
    if (answer.ok) await report({ ...read, refused: answer.refused ?? [] })
    return answer
  }

  const supplyVendor = (namespace: Namespace, vendor: SupplyVendor): SupplyVendor => ({
    ...vendor,
    catalog: async (query) =>
      checked(await vendor.catalog(query), {
        namespace,
        source: 'catalog',
        // A narrowed listing says nothing about the rows it leaves out.
        isResolved: () => !query?.keyword,
      }),
  })

  const machineVendor = (namespace: Namespace, vendor: MachineVendor): MachineVendor => ({
    ...vendor,
    inventory: async (location, freshness) =>
      checked(await vendor.inventory(location, freshness), {
        namespace,
        source: `inventory ${location}`,
        location,
        isResolved: () => true,
      }),
    async ledger(query) {
      const answer = await vendor.ledger(query)
      const readable = new Set(answer.ok ? answer.value.records.map(({ orderNo }) => orderNo) : [])
      return checked(answer, { namespace, source: 'ledger', isResolved: (id) => readable.has(id) })
    },
  })

  const wrapped = new Map<Namespace, SupplyVendor | MachineVendor>()
  const wrap = <V extends SupplyVendor | MachineVendor>(
    found: Outcome<V>,
    namespace: Namespace,
    around: (namespace: Namespace, vendor: V) => V,
  ): Outcome<V> => {
    if (!found.ok) return found
    const vendor = (wrapped.get(namespace) as V | undefined) ?? around(namespace, found.value)
    wrapped.set(namespace, vendor)
    return accept(vendor)
  }

  return {
    ...vendors,
    supply: (namespace, path) => wrap(vendors.supply(namespace, path), namespace, supplyVendor),
    machine: (namespace, path) => wrap(vendors.machine(namespace, path), namespace, machineVendor),
  }
}

async function loadKnown({ db }: Store): Promise<Known> {
  const known: Known = new Map()
  const rows = await db.selectFrom('refused_row').selectAll().limit(LOADED_MAX).execute()
  for (const { namespace, source, id, problem } of rows) {
    const key = `${namespace} ${source}`
    const own = known.get(key) ?? new Map<string, string>()
    known.set(key, own.set(id, problem))
  }
  return known
}

/** Of several instances that find the same problem, one writes the row, and with it the event. */
async function remember(
  needs: Needs,
  { namespace, source, location }: Read,
  fresh: ReadonlyMap<string, RefusedRow>,
  resolved: readonly string[],
): Promise<void> {
  const { store, clock, log } = needs
  await store.transaction(async (tx) => {
    if (resolved.length > 0)
      await tx
        .deleteFrom('refused_row')
        .where('namespace', '=', namespace)
        .where('source', '=', source)
        .where('id', 'in', resolved)
        .execute()
    const added: RefusedRow[] = []
    for (const [id, row] of fresh) {
      const written = await tx
        .insertInto('refused_row')
        .values({ namespace, source, id, problem: row.problem, first_seen_at: clock.now() })
        .onConflict((conflict) =>
          conflict
            .columns(['namespace', 'source', 'id'])
            .doUpdateSet((at) => ({ problem: at.ref('excluded.problem') }))
            .whereRef('refused_row.problem', '<>', 'excluded.problem'),
        )
        .returning('id')
        .execute()
      if (written.length > 0) added.push(row)
    }
    if (added.length === 0) return
    await recordEvent(needs, tx, {
      kind: 'sync',
      summary: `${subjectOf(added, namespace, location)} cannot be read: ${named(added)}`,
      reasoning: 'What the upstream sent is not as agreed, so these rows are left out. All other rows are used.',
      ...(location === undefined ? {} : { location }),
    })
  })
  if (fresh.size > 0)
    log.warn(
      {
        namespace,
        source,
        refused: fresh.size,
        rows: [...fresh].slice(0, LOGGED_MAX).map(([id, { detail }]) => `${id}: ${detail}`),
      },
      'rows of an upstream cannot be read and were left out',
    )
}

type Told = Pick<RefusedRow, 'id' | 'problem' | 'kind'>

const NOUNS = { product: 'product', site: 'pickup site', slot: 'slot', sale: 'sale' } as const

function subjectOf(rows: readonly Told[], namespace: string, location?: string): string {
  const kinds = new Set(rows.map(({ kind }) => kind))
  const [kind] = kinds
  const noun = kinds.size === 1 && kind ? NOUNS[kind] : 'row'
  return `${rows.length} ${noun}${rows.length === 1 ? '' : 's'} of ${location ?? namespace}`
}

function named(rows: readonly Told[]): string {
  const first = rows.slice(0, NAMED_MAX).map((row) => (row.id === undefined ? idOf(row) : `${row.id} (${row.problem})`))
  return [...first, ...(rows.length > NAMED_MAX ? [`${rows.length - NAMED_MAX} more`] : [])].join(', ')
}

/** On listings: what is missing from them. */
export const refusedInfo = (namespace: string, rows: readonly Told[] = []): NoteMessage[] =>
  rows.length === 0
    ? []
    : [info('sync_problem', `${subjectOf(rows, namespace)} cannot be read and left out: ${named(rows)}`)]

/** On a sync: what could not be taken over. */
export const refusedWarning = (of: string, rows: readonly Told[]): NoteMessage[] =>
  rows.length === 0
    ? []
    : [warning('sync_problem', `${subjectOf(rows, of)} cannot be read and left out: ${named(rows)}`)]

/** Sales that the ledger lists and nobody can read, those first seen since. */
export async function refusedSales(db: Queryable, since = 0): Promise<ReadonlyMap<Namespace, readonly Told[]>> {
  const rows = await db
    .selectFrom('refused_row')
    .select(['namespace', 'id', 'problem'])
    .where('source', '=', 'ledger')
    .where('first_seen_at', '>=', since)
    .orderBy('first_seen_at', 'desc')
    .orderBy('id')
    .limit(REMEMBERED_MAX)
    .execute()
  const told = rows.map(({ namespace, id, problem }) => {
    const row = { id: undefined, kind: 'sale', problem } as const
    return { ...row, namespace: namespace as Namespace, id: id === idOf(row) ? undefined : id }
  })
  return Map.groupBy(told, ({ namespace }) => namespace)
}

/** Sales of long ago that never became readable; everything else is forgotten when it is resolved. */
export async function pruneRefusedSales(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('refused_row').where('source', '=', 'ledger').where('first_seen_at', '<', before).execute()
}
