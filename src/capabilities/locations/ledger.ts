/**
 * The mirror of the platforms' ledgers. Each catch-up reads forward from where the last one ended, with an overlap for
 * late trades, then spends what is left of its pages on the hole that an earlier, cut reading left behind. A sync also
 * sweeps known history again, a stretch at a time, for refunds that came later.
 */
import type { Selectable } from 'kysely'
import { LEDGER_PAGES_MAX, SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable, Store } from '../../store/db.ts'
import type { LedgerMirrorTable } from '../../store/tables/locations.ts'
import type { Failure, MachineVendor } from '../../vendors/contract.ts'
import type { Floor } from '../floor.ts'
import { ingest } from './ingest.ts'
import { walkBack } from './walk.ts'

const OVERLAP_MS = 15 * MINUTE
const REST_MS = 10 * SECOND
/** A platform's clock may be a little ahead of ours. */
const AHEAD_MS = MINUTE
/** When a mirror begins, only trades this young are news. */
const NEWS_MS = HOUR

type Needs = Pick<Floor, 'store' | 'clock' | 'vendors' | 'config' | 'log'>
type Mirror = Selectable<LedgerMirrorTable>

export interface Reading {
  readonly windowDays?: number
  /** Also read known history again, for what changed since. */
  readonly sweep?: boolean
}

interface Hole {
  readonly from: number
  readonly to: number
}

/** Namespaces whose ledger can be read now. */
export const ledgerNamespaces = ({ vendors }: Pick<Floor, 'vendors'>): Namespace[] =>
  vendors.registrations
    .filter(
      ({ role, status, namespace }) => role === 'machine' && status === 'live' && vendors.supports(namespace, 'ledger'),
    )
    .map(({ namespace }) => namespace)

const flights = new WeakMap<Store, Map<Namespace, Promise<Failure | undefined>>>()

/** One reading of a namespace at a time in this process; whoever comes meanwhile waits for it. */
function single(store: Store, namespace: Namespace, read: () => Promise<Failure | undefined>) {
  const running = flights.get(store) ?? new Map<Namespace, Promise<Failure | undefined>>()
  flights.set(store, running)
  const mine = read().finally(() => {
    if (running.get(namespace) === mine) running.delete(namespace)
  })
  running.set(namespace, mine)
  return mine
}

const inFlight = (store: Store, namespace: Namespace) => flights.get(store)?.get(namespace)

/** Brings every mirror up to now; the first failure is told, the other mirrors are read all the same. */
export async function catchUp(needs: Needs): Promise<Failure | undefined> {
  const failures = await Promise.all(ledgerNamespaces(needs).map((namespace) => catchUpOne(needs, namespace)))
  return failures.find((failure) => failure !== undefined)
}

async function catchUpOne(needs: Needs, namespace: Namespace): Promise<Failure | undefined> {
  const running = inFlight(needs.store, namespace)
  if (running) return running
  return single(needs.store, namespace, async () => {
    const rested = needs.clock.now() - ((await mirrorOf(needs.store.db, namespace))?.read_at ?? -Infinity)
    return rested >= 0 && rested < REST_MS ? undefined : readLedger(needs, namespace, {})
  })
}

/** The same for a sync: never skipped, over its own window, sweeping. */
export async function refreshLedger(
  needs: Needs,
  namespace: Namespace,
  reading: Reading,
): Promise<Failure | undefined> {
  await inFlight(needs.store, namespace)?.catch(() => undefined)
  return single(needs.store, namespace, () => readLedger(needs, namespace, reading))
}

async function readLedger(needs: Needs, namespace: Namespace, reading: Reading): Promise<Failure | undefined> {
  const machine = needs.vendors.machine(namespace)
  if (!machine.ok) return undefined
  const now = needs.clock.now()
  const floorMs = now - (reading.windowDays ?? SALES_WINDOW_DAYS_DEFAULT) * DAY
  const before = (await mirrorOf(needs.store.db, namespace)) ?? (await beginMirror(needs, namespace, floorMs))
  const plan = readingPlan(needs, machine.value, before)

  const from = Math.max(before.covered_from, before.covered_to - OVERLAP_MS)
  const forward = await plan.read({ from, to: now + AHEAD_MS })
  if (forward.failure && !forward.progress) return forward.failure

  let hole = joined(holeOf(before), forward.reachedMs > from ? { from, to: forward.reachedMs } : undefined)
  const coveredFrom = Math.min(before.covered_from, floorMs)
  if (coveredFrom < before.covered_from) hole = joined(hole, { from: coveredFrom, to: before.covered_from })
  let sweptTo = before.swept_to
  let failure = forward.failure

  if (hole && !failure) {
    const back = await plan.read(hole)
    hole = back.reachedMs > hole.from ? { from: hole.from, to: back.reachedMs } : undefined
    failure = back.failure
  }
  if (reading.sweep && from > floorMs && !hole && !failure) {
    // A sweep of a longer window may have come further back than this one begins; then a new one starts at the top.
    const swept = await plan.read({ from: floorMs, to: sweptTo !== null && sweptTo > floorMs ? sweptTo : now })
    sweptTo = swept.reachedMs > floorMs ? swept.reachedMs : null
    failure = swept.failure
  }

  await needs.store.db
    .updateTable('ledger_mirror')
    .set({
      covered_from: coveredFrom,
      covered_to: now,
      gap_from: hole?.from ?? null,
      gap_to: hole?.to ?? null,
      swept_to: sweptTo,
      // A failed reading earns no rest: the next caller asks again.
      ...(failure ? {} : { read_at: now }),
    })
    .where('namespace', '=', namespace)
    .execute()
  return failure
}

/** Reads stretches of one ledger into the mirror until the pages of this catch-up are used up. */
function readingPlan(needs: Needs, vendor: MachineVendor, mirror: Mirror) {
  let pagesLeft = LEDGER_PAGES_MAX
  const seen = {
    namespace: mirror.namespace as Namespace,
    now: needs.clock.now(),
    announceFrom: mirror.announce_from,
    first: mirror.covered_to === mirror.covered_from,
  }
  return {
    async read({ from, to }: Hole) {
      if (pagesLeft <= 0) return { reachedMs: to, progress: false, failure: undefined }
      const walk = await walkBack(vendor, { fromMs: from, toMs: to }, pagesLeft)
      pagesLeft -= walk.pages
      await ingest(needs, walk.records, seen)
      return { reachedMs: walk.reachedMs, progress: walk.records.length > 0, failure: walk.failure }
    },
  }
}

const joined = (a: Hole | undefined, b: Hole | undefined): Hole | undefined =>
  a && b ? { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) } : (a ?? b)

const holeOf = ({ gap_from, gap_to }: Mirror): Hole | undefined =>
  gap_from === null || gap_to === null ? undefined : { from: gap_from, to: gap_to }

const mirrorOf = (db: Queryable, namespace: Namespace): Promise<Mirror | undefined> =>
  db.selectFrom('ledger_mirror').selectAll().where('namespace', '=', namespace).executeTakeFirst()

/** Covers nothing yet: from the beginning of the first window to the same instant. */
async function beginMirror({ store, clock }: Needs, namespace: Namespace, from: number): Promise<Mirror> {
  const now = clock.now()
  await store.db
    .insertInto('ledger_mirror')
    .values({
      namespace,
      covered_from: from,
      covered_to: from,
      gap_from: null,
      gap_to: null,
      swept_to: null,
      announce_from: now - NEWS_MS,
      read_at: now - REST_MS,
      writes: 0,
    })
    .onConflict((conflict) => conflict.column('namespace').doNothing())
    .execute()
  return store.db.selectFrom('ledger_mirror').selectAll().where('namespace', '=', namespace).executeTakeFirstOrThrow()
}

export interface Coverage {
  readonly namespace: Namespace
  /** Earlier trades were never asked for. */
  readonly from: number
  readonly to: number
  /** Trades of this stretch are still missing (`history_truncated`). */
  readonly hole: Hole | undefined
}

/** Of the ledgers that were read at least once. */
export async function ledgerCoverage(db: Queryable): Promise<Coverage[]> {
  const rows = await db.selectFrom('ledger_mirror').selectAll().whereRef('covered_to', '>', 'covered_from').execute()
  return rows.map((row) => ({
    namespace: row.namespace as Namespace,
    from: row.covered_from,
    to: row.covered_to,
    hole: holeOf(row),
  }))
}

/** From when on the mirror is complete, for statistics over a window; null where nothing is missing since `from`. */
export const completeSince = ({ from: begins, hole }: Coverage, from: number): number | null => {
  if (hole && hole.to > from) return hole.to
  return begins > from ? begins : null
}
