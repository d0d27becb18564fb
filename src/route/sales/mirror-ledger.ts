/**
 * The mirror of the platforms' ledgers. Each read may fetch a limited number of pages. It starts with what is new
 * and re-reads recent sales, because sales arrive late and change; the pages that are left go to the gap of earlier reads
 * and to an unfinished re-read (`recheck_from`, `recheck_to`). A sync also re-reads its whole window, a part at a time
 * (`swept_to`).
 */
import { LEDGER_PAGES_MAX, SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { Failure } from '../../vendors/contract.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import { TOO_MANY_UNREADABLE } from '../../vendors/upstream/rows.ts'
import type { Context } from '../../context.ts'
import { ingest } from './ingest.ts'
import type { TimeRange } from './ledger-reads.ts'
import { saveKnownTimes } from './ledger-machine-records.ts'
import {
  BEGINNING,
  clearChanged,
  createMirror,
  findMirror,
  markChanged,
  listStartedMirrors,
  updateMirror,
} from './mirror-records.ts'
import type { Mirror } from './mirror-records.ts'
import { readLedgerWindow } from './read-ledger-pages.ts'
import type { IngestContext } from './sale-transaction.ts'

/** Sales of the last minutes before a read may not all have been listed yet. */
const OVERLAP_MS = 15 * MINUTE
/** How far each read goes back over known sales, and how far once an hour (`deep_read_at`). */
const LOOK_BACK_MS = 2 * HOUR
export const LONG_LOOK_BACK_MS = 48 * HOUR
const LONG_LOOK_BACK_EVERY_MS = HOUR
/** Pages reserved for the gap, however much there is to re-read. */
const PAGES_FOR_GAP = 5
/** A ledger read this recently is not read again. */
const MIN_READ_INTERVAL_MS = 10 * SECOND
/** A platform's clock may be a little ahead of ours. */
const CLOCK_SKEW_MS = MINUTE
/** When a mirror is created, only sales this recent are announced. */
const ANNOUNCE_MAX_AGE_MS = HOUR

export type LedgerContext = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log' | 'ledgerReads'>

export interface ReadOptions {
  readonly windowDays?: number
  /** Also re-read the whole window, for sales that changed since. */
  readonly rereadWindow?: boolean
}

/** Namespaces whose ledger can be read now. */
export const ledgerNamespaces = ({ vendors }: Pick<Context, 'vendors'>): Namespace[] =>
  vendors.registrations
    .filter(
      ({ role, status, namespace }) => role === 'machine' && status === 'live' && vendors.supports(namespace, 'ledger'),
    )
    .map(({ namespace }) => namespace)

/** A platform whose ledger could not be read. */
export interface LedgerFailure {
  readonly namespace: Namespace
  readonly failure: Failure
}

/** Brings every mirror up to date. A platform that fails keeps no other from being read. */
export const catchUp = (ctx: LedgerContext): Promise<LedgerFailure[]> =>
  readEach(ledgerNamespaces(ctx), (namespace) => catchUpOne(ctx, namespace))

async function readEach(
  namespaces: readonly Namespace[],
  read: (namespace: Namespace) => Promise<Failure | undefined>,
): Promise<LedgerFailure[]> {
  const failures = await Promise.all(
    namespaces.map(async (namespace) => ({ namespace, failure: await read(namespace) })),
  )
  return failures.flatMap(({ namespace, failure }) => (failure ? [{ namespace, failure }] : []))
}

const catchUpOne = (ctx: LedgerContext, namespace: Namespace): Promise<Failure | undefined> =>
  ctx.ledgerReads.running.run(namespace, async () => {
    const age = ctx.clock.now() - ((await findMirror(ctx.store.db, namespace))?.read_at ?? -Infinity)
    return age >= 0 && age < MIN_READ_INTERVAL_MS ? undefined : readLedger(ctx, namespace, {})
  })

/** The same for a sync: always reads, over the sync's own window. Syncs hold a lease, so no other one shares the read. */
export const refreshLedgers = (ctx: LedgerContext, options: ReadOptions): Promise<LedgerFailure[]> =>
  readEach(ledgerNamespaces(ctx), (namespace) => refreshLedger(ctx, namespace, options))

const refreshLedger = (ctx: LedgerContext, namespace: Namespace, options: ReadOptions): Promise<Failure | undefined> =>
  ctx.ledgerReads.running.runNext(namespace, () => readLedger(ctx, namespace, options))

async function readLedger(
  ctx: LedgerContext,
  namespace: Namespace,
  options: ReadOptions,
): Promise<Failure | undefined> {
  const machine = ctx.vendors.machine(namespace)
  if (!machine.ok) return undefined
  const now = ctx.clock.now()
  const before = await findOrCreateMirror(ctx, namespace)
  const reader = rangeReader(ctx, machine.value, before)
  const isLongLookBack = isLongLookBackDue(before.deep_read_at, now)

  // Sales from here on count as known afterwards; older ones are only re-read.
  const knownFrom = Math.max(BEGINNING, before.covered_to - OVERLAP_MS)
  const gapBefore = gapOf(before)
  const window = (lookBackMs: number) => ({
    from: Math.max(BEGINNING, before.covered_to - lookBackMs),
    to: now + CLOCK_SKEW_MS,
  })
  const pages = LEDGER_PAGES_MAX - (gapBefore ? PAGES_FOR_GAP : 0)
  let { from, to } = window(isLongLookBack ? LONG_LOOK_BACK_MS : LOOK_BACK_MS)
  let forward = await reader.read({ from, to }, pages)
  if (forward.failure && isTooManyUnreadable(forward.failure) && !isLongLookBack) {
    // In a short window one unreadable sale may exceed the limit of a fifth; a longer window has more sales, so one bad row stays below the limit.
    ;({ from, to } = window(LONG_LOOK_BACK_MS))
    forward = await reader.read({ from, to }, pages)
  }
  if (forward.failure && !forward.hasRecords) return forward.failure

  let gap = joinRanges(gapBefore, range(knownFrom, forward.reachedMs))
  let unfinishedReread = joinRanges(
    joinRanges(unfinishedRereadOf(before), changedRange(before)),
    range(from, Math.min(forward.reachedMs, knownFrom)),
  )
  let windowRereadTo = before.swept_to
  let failure = forward.failure

  if (gap && !failure) {
    const back = await reader.read(gap)
    gap = range(gap.from, back.reachedMs)
    failure = back.failure
  }
  if (unfinishedReread && !failure) {
    const again = await reader.read(unfinishedReread)
    unfinishedReread = range(unfinishedReread.from, again.reachedMs)
    failure = again.failure
  }
  const windowStart = now - (options.windowDays ?? SALES_WINDOW_DAYS_DEFAULT) * DAY
  if (options.rereadWindow && from > windowStart && !gap && !failure) {
    // The re-read of a longer window may already be past the start of this one; then a new one begins at the newest sale.
    const reread = await reader.read({
      from: windowStart,
      to: windowRereadTo !== null && windowRereadTo > windowStart ? windowRereadTo : now,
    })
    windowRereadTo = reread.reachedMs > windowStart ? reread.reachedMs : null
    failure = reread.failure
  }

  await updateMirror(ctx.store.db, namespace, {
    covered_from: BEGINNING,
    covered_to: now,
    gap_from: gap?.from ?? null,
    gap_to: gap?.to ?? null,
    recheck_from: unfinishedReread?.from ?? null,
    recheck_to: unfinishedReread?.to ?? null,
    swept_to: windowRereadTo,
    ...(isLongLookBack ? { deep_read_at: now } : {}),
    // After a failure the next caller reads again at once.
    ...(failure ? {} : { read_at: now }),
  })
  // From here on the range that may have changed is part of `recheck`.
  if (before.changed_from !== null) await clearChanged(ctx.store.db, before)
  return failure
}

/** Called when a platform finds that sales older than the last ones have appeared or changed. */
export const requestReread = (db: Queryable, namespace: Namespace, fromMs = BEGINNING): Promise<void> =>
  markChanged(db, namespace, Math.max(BEGINNING, fromMs))

/** Also when the last one lies in the future: then the clock was set back since. */
const isLongLookBackDue = (lastAt: number | null, now: number): boolean =>
  lastAt === null || now - lastAt >= LONG_LOOK_BACK_EVERY_MS || lastAt > now

const isTooManyUnreadable = ({ raw }: Failure): boolean => raw?.startsWith(TOO_MANY_UNREADABLE) ?? false

const ingestContextOf = (mirror: Mirror, now: number): IngestContext => ({
  namespace: mirror.namespace as Namespace,
  now,
  announceFrom: mirror.announce_from,
  isFirst: mirror.covered_to === mirror.covered_from,
})

/** Reads ranges of one ledger into the mirror until the pages of this read are used up. */
function rangeReader(ctx: LedgerContext, vendor: MachineVendor, mirror: Mirror) {
  let pagesLeft = LEDGER_PAGES_MAX
  const now = ctx.clock.now()
  return {
    async read({ from, to }: TimeRange, pagesMax = LEDGER_PAGES_MAX) {
      const pagesAllowed = Math.min(pagesMax, pagesLeft)
      if (pagesAllowed <= 0) return { reachedMs: to, hasRecords: false, failure: undefined }
      const window = { fromMs: from, toMs: to }
      const read = await readLedgerWindow(vendor, window, pagesAllowed)
      const { records, reachedMs, pages, failure } = read
      pagesLeft -= pages
      await saveKnownTimes(ctx.store.db, mirror.namespace as Namespace, read)
      await ingest(ctx, records, ingestContextOf(mirror, now))
      ctx.ledgerReads.remember(mirror.namespace as Namespace, { from: reachedMs, to, at: now })
      return { reachedMs, hasRecords: records.length > 0, failure }
    },
  }
}

/**
 * Reads one range into the mirror, newest first and within the page limit, until the wanted sale is listed. How far the
 * mirror counts as complete does not change.
 */
export async function readLedgerRange(
  ctx: LedgerContext,
  namespace: Namespace,
  { from, to }: TimeRange,
  wanted?: string,
): Promise<Failure | undefined> {
  const machine = ctx.vendors.machine(namespace)
  if (!machine.ok) return undefined
  const now = ctx.clock.now()
  const mirror = await findOrCreateMirror(ctx, namespace)
  const read = (window: TimeRange) =>
    readLedgerWindow(
      machine.value,
      { fromMs: Math.max(BEGINNING, window.from), toMs: Math.min(window.to, now + CLOCK_SKEW_MS) },
      LEDGER_PAGES_MAX,
      wanted,
    )
  let pages = await read({ from, to })
  if (pages.failure && isTooManyUnreadable(pages.failure)) pages = await read({ from: from - DAY, to: to + DAY })
  await ingest(ctx, pages.records, ingestContextOf(mirror, now))
  ctx.ledgerReads.remember(namespace, { from: pages.reachedMs, to, at: now })
  return pages.records.some(({ orderNo }) => orderNo === wanted) ? undefined : pages.failure
}

/** Undefined where it would be empty. */
const range = (from: number, to: number): TimeRange | undefined => (to > from ? { from, to } : undefined)

const joinRanges = (a: TimeRange | undefined, b: TimeRange | undefined): TimeRange | undefined =>
  a && b ? { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) } : (a ?? b)

/** What is missing. A mirror of an earlier version covers its first window only, so everything before it is missing. */
const gapOf = ({ gap_from, gap_to, covered_from, covered_to }: Mirror): TimeRange | undefined =>
  joinRanges(
    gap_from === null || gap_to === null ? undefined : { from: gap_from, to: gap_to },
    covered_to > covered_from ? range(BEGINNING, covered_from) : undefined,
  )

const unfinishedRereadOf = ({ recheck_from, recheck_to }: Mirror): TimeRange | undefined =>
  recheck_from === null || recheck_to === null ? undefined : { from: recheck_from, to: recheck_to }

/** Up to where the mirror is complete; later sales are read anyway. */
const changedRange = ({ changed_from, covered_to }: Mirror): TimeRange | undefined =>
  changed_from === null ? undefined : range(changed_from, covered_to)

async function findOrCreateMirror({ store, clock }: LedgerContext, namespace: Namespace): Promise<Mirror> {
  const now = clock.now()
  return (
    (await findMirror(store.db, namespace)) ??
    createMirror(store.db, namespace, { announce_from: now - ANNOUNCE_MAX_AGE_MS, read_at: now - MIN_READ_INTERVAL_MS })
  )
}

export interface Coverage {
  readonly namespace: Namespace
  readonly to: number
  /** Sales of this range are still missing (`history_truncated`). */
  readonly gap: TimeRange | undefined
}

/** Of the ledgers that were read at least once. */
export const listLedgerCoverage = async (db: Queryable): Promise<Coverage[]> =>
  (await listStartedMirrors(db)).map((mirror) => ({
    namespace: mirror.namespace as Namespace,
    to: mirror.covered_to,
    gap: gapOf(mirror),
  }))

/** Whether a read would find more to do than what is new. */
export const hasUnreadHistory = async (db: Queryable): Promise<boolean> =>
  (await listStartedMirrors(db)).some(
    (mirror) => gapOf(mirror) !== undefined || unfinishedRereadOf(mirror) !== undefined || mirror.changed_from !== null,
  )

/** From when on the mirror is complete, for statistics over a window; null where nothing is missing since `from`. */
export const completeFromOf = ({ gap }: Coverage, from: number): number | null => (gap && gap.to > from ? gap.to : null)
