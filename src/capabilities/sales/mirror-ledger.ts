/**
 * The mirror of the platforms' ledgers: the whole ledger, newest first, as many pages per reading as the contract allows
 * (4.5). Each reading begins with what is new and looks back over known sales, because trades arrive late and change;
 * then it spends what is left of its pages on the gap that earlier readings left behind, and on an unfinished look back.
 * A sync also sweeps its whole window again, a stretch at a time.
 */
import type { Selectable } from 'kysely'
import { LEDGER_PAGES_MAX, SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable, Store } from '../../store/store.ts'
import type { LedgerMirrorTable } from '../../store/tables/sales.ts'
import type { Failure, MachineVendor } from '../../vendors/contract.ts'
import { TOO_MANY_REFUSED } from '../../vendors/upstream/rows.ts'
import type { Context } from '../context.ts'
import { ingest } from './ingest.ts'
import type { Sighting } from './sale-transaction.ts'
import { readLedgerWindow } from './read-ledger-pages.ts'

/** No ledger begins earlier. */
const BEGINNING = 0
/** Before the end of the last reading: sales of these minutes may not all have been listed yet. */
const OVERLAP_MS = 15 * MINUTE
/** How far each reading looks back over known sales, and how far once an hour. */
const LOOK_BACK_MS = 2 * HOUR
export const DEEP_LOOK_BACK_MS = 48 * HOUR
const DEEP_EVERY_MS = HOUR
/** Pages of a reading that are kept for the gap, however much there is to look back over. */
const PAGES_FOR_GAP = 5
const REST_MS = 10 * SECOND
/** A platform's clock may be a little ahead of ours. */
const AHEAD_MS = MINUTE
/** When a mirror begins, only trades this young are news. */
const NEWS_MS = HOUR

export type LedgerNeeds = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log'>
type Needs = LedgerNeeds
type Mirror = Selectable<LedgerMirrorTable>

export interface Reading {
  readonly windowDays?: number
  /** Also read the whole window again, for what changed since. */
  readonly sweep?: boolean
}

export interface Hole {
  readonly from: number
  readonly to: number
}

/** Namespaces whose ledger can be read now. */
export const ledgerNamespaces = ({ vendors }: Pick<Context, 'vendors'>): Namespace[] =>
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
  const before = (await mirrorOf(needs.store.db, namespace)) ?? (await beginMirror(needs, namespace))
  const plan = readingPlan(needs, machine.value, before)
  const isDeep = isDue(before.deep_read_at, now)

  // Everything from here on is claimed as known afterwards; what lies before it is only looked at again.
  const claimFrom = Math.max(BEGINNING, before.covered_to - OVERLAP_MS)
  const gapBefore = gapOf(before)
  const window = (lookBackMs: number) => ({
    from: Math.max(BEGINNING, before.covered_to - lookBackMs),
    to: now + AHEAD_MS,
  })
  const pages = LEDGER_PAGES_MAX - (gapBefore ? PAGES_FOR_GAP : 0)
  let { from, to } = window(isDeep ? DEEP_LOOK_BACK_MS : LOOK_BACK_MS)
  let forward = await plan.read({ from, to }, pages)
  if (forward.failure && isTooManyRefused(forward.failure) && !isDeep) {
    // Of a few sales one is easily more than a fifth: a longer window tells whether the ledger as a whole can be read.
    ;({ from, to } = window(DEEP_LOOK_BACK_MS))
    forward = await plan.read({ from, to }, pages)
  }
  if (forward.failure && !forward.progress) return forward.failure

  let gap = joined(gapBefore, stretch(claimFrom, forward.reachedMs))
  let recheck = joined(recheckOf(before), stretch(from, Math.min(forward.reachedMs, claimFrom)))
  let sweptTo = before.swept_to
  let failure = forward.failure

  if (gap && !failure) {
    const back = await plan.read(gap)
    gap = stretch(gap.from, back.reachedMs)
    failure = back.failure
  }
  if (recheck && !failure) {
    const again = await plan.read(recheck)
    recheck = stretch(recheck.from, again.reachedMs)
    failure = again.failure
  }
  const floorMs = now - (reading.windowDays ?? SALES_WINDOW_DAYS_DEFAULT) * DAY
  if (reading.sweep && from > floorMs && !gap && !failure) {
    // A sweep of a longer window may have come further back than this one begins; then a new one starts at the top.
    const swept = await plan.read({ from: floorMs, to: sweptTo !== null && sweptTo > floorMs ? sweptTo : now })
    sweptTo = swept.reachedMs > floorMs ? swept.reachedMs : null
    failure = swept.failure
  }

  await needs.store.db
    .updateTable('ledger_mirror')
    .set({
      covered_from: BEGINNING,
      covered_to: now,
      gap_from: gap?.from ?? null,
      gap_to: gap?.to ?? null,
      recheck_from: recheck?.from ?? null,
      recheck_to: recheck?.to ?? null,
      swept_to: sweptTo,
      ...(isDeep ? { deep_read_at: now } : {}),
      // A failed reading earns no rest: the next caller asks again.
      ...(failure ? {} : { read_at: now }),
    })
    .where('namespace', '=', namespace)
    .execute()
  return failure
}

/** Also when it lies ahead: then the clock was set back since. */
const isDue = (lastAt: number | null, now: number): boolean =>
  lastAt === null || now - lastAt >= DEEP_EVERY_MS || lastAt > now

const isTooManyRefused = ({ raw }: Failure): boolean => raw?.startsWith(TOO_MANY_REFUSED) ?? false

const sightingOf = (mirror: Mirror, now: number): Sighting => ({
  namespace: mirror.namespace as Namespace,
  now,
  announceFrom: mirror.announce_from,
  first: mirror.covered_to === mirror.covered_from,
})

/** Reads stretches of one ledger into the mirror until the pages of this reading are used up. */
function readingPlan(needs: Needs, vendor: MachineVendor, mirror: Mirror) {
  let pagesLeft = LEDGER_PAGES_MAX
  const now = needs.clock.now()
  return {
    async read({ from, to }: Hole, most = LEDGER_PAGES_MAX) {
      const budget = Math.min(most, pagesLeft)
      if (budget <= 0) return { reachedMs: to, progress: false, failure: undefined }
      const walk = await readLedgerWindow(vendor, { fromMs: from, toMs: to }, budget)
      pagesLeft -= walk.pages
      await ingest(needs, walk.records, sightingOf(mirror, now))
      noteRead(needs.store, mirror.namespace as Namespace, { from: walk.reachedMs, to, at: now })
      return { reachedMs: walk.reachedMs, progress: walk.records.length > 0, failure: walk.failure }
    },
  }
}

/** How long a sale that was just read is as good as asked for now. */
const FRESH_MS = 15 * SECOND

interface RecentRead extends Hole {
  readonly at: number
}

/** What this process has just read, for single sales. Losing it costs a question, never an answer. */
const recentReads = new WeakMap<Store, Map<Namespace, RecentRead[]>>()

function noteRead(store: Store, namespace: Namespace, read: RecentRead): void {
  const byNamespace = recentReads.get(store) ?? new Map<Namespace, RecentRead[]>()
  recentReads.set(store, byNamespace)
  const recent = (byNamespace.get(namespace) ?? []).filter(({ at }) => isFresh(at, read.at))
  byNamespace.set(namespace, [...recent, read])
}

const isFresh = (at: number, now: number): boolean => now >= at && now - at < FRESH_MS

/** Whether all sales of a stretch, or of one instant, were read in the last 15 seconds. */
export const wasJustRead = (
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  namespace: Namespace,
  from: number,
  to = from,
): boolean =>
  (recentReads.get(store)?.get(namespace) ?? []).some(
    (read) => isFresh(read.at, clock.now()) && read.from <= from && to <= read.to,
  )

/**
 * Reads one stretch into the mirror, newest first and within the page limit, until the wanted sale is seen. It claims
 * nothing: how far the mirror is complete does not change.
 */
export async function readStretch(
  needs: Needs,
  namespace: Namespace,
  { from, to }: Hole,
  wanted?: string,
): Promise<Failure | undefined> {
  const machine = needs.vendors.machine(namespace)
  if (!machine.ok) return undefined
  const now = needs.clock.now()
  const mirror = (await mirrorOf(needs.store.db, namespace)) ?? (await beginMirror(needs, namespace))
  const read = (window: Hole) =>
    readLedgerWindow(
      machine.value,
      { fromMs: Math.max(BEGINNING, window.from), toMs: Math.min(window.to, now + AHEAD_MS) },
      LEDGER_PAGES_MAX,
      wanted,
    )
  let walk = await read({ from, to })
  if (walk.failure && isTooManyRefused(walk.failure)) walk = await read({ from: from - DAY, to: to + DAY })
  await ingest(needs, walk.records, sightingOf(mirror, now))
  noteRead(needs.store, namespace, { from: walk.reachedMs, to, at: now })
  return walk.records.some(({ orderNo }) => orderNo === wanted) ? undefined : walk.failure
}

/** Undefined where nothing lies between. */
const stretch = (from: number, to: number): Hole | undefined => (to > from ? { from, to } : undefined)

const joined = (a: Hole | undefined, b: Hole | undefined): Hole | undefined =>
  a && b ? { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) } : (a ?? b)

/** What is missing. A mirror of an earlier version covers its first window only; all before it is missing, too. */
const gapOf = ({ gap_from, gap_to, covered_from, covered_to }: Mirror): Hole | undefined =>
  joined(
    gap_from === null || gap_to === null ? undefined : { from: gap_from, to: gap_to },
    covered_to > covered_from ? stretch(BEGINNING, covered_from) : undefined,
  )

const recheckOf = ({ recheck_from, recheck_to }: Mirror): Hole | undefined =>
  recheck_from === null || recheck_to === null ? undefined : { from: recheck_from, to: recheck_to }

const mirrorOf = (db: Queryable, namespace: Namespace): Promise<Mirror | undefined> =>
  db.selectFrom('ledger_mirror').selectAll().where('namespace', '=', namespace).executeTakeFirst()

/** Covers nothing yet. */
async function beginMirror({ store, clock }: Needs, namespace: Namespace): Promise<Mirror> {
  const now = clock.now()
  await store.db
    .insertInto('ledger_mirror')
    .values({
      namespace,
      covered_from: BEGINNING,
      covered_to: BEGINNING,
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
  readonly to: number
  /** Trades of this stretch are still missing (`history_truncated`). */
  readonly hole: Hole | undefined
}

/** Of the ledgers that were read at least once. */
export async function ledgerCoverage(db: Queryable): Promise<Coverage[]> {
  const rows = await db.selectFrom('ledger_mirror').selectAll().whereRef('covered_to', '>', 'covered_from').execute()
  return rows.map((row) => ({ namespace: row.namespace as Namespace, to: row.covered_to, hole: gapOf(row) }))
}

/** Whether a reading would find more to do than what is new. */
export async function hasUnreadHistory(db: Queryable): Promise<boolean> {
  const rows = await db.selectFrom('ledger_mirror').selectAll().whereRef('covered_to', '>', 'covered_from').execute()
  return rows.some((row) => gapOf(row) !== undefined || recheckOf(row) !== undefined)
}

/** From when on the mirror is complete, for statistics over a window; null where nothing is missing since `from`. */
export const completeSince = ({ hole }: Coverage, from: number): number | null =>
  hole && hole.to > from ? hole.to : null
