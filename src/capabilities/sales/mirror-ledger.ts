/**
 * The mirror of the platforms' ledgers. Each reading may fetch a limited number of pages (4.5). It starts with what is
 * new and re-reads recent sales, because sales arrive late and change; the pages that are left go to the gap of earlier
 * readings and to an unfinished re-read. A sync also re-reads its whole window, a part at a time.
 */
import { LEDGER_PAGES_MAX, SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { Failure, MachineVendor } from '../../vendors/contract.ts'
import { TOO_MANY_REFUSED } from '../../vendors/upstream/rows.ts'
import type { Context } from '../context.ts'
import { ingest } from './ingest.ts'
import type { TimeRange } from './ledger-reads.ts'
import { BEGINNING, createMirror, findMirror, startedMirrors, updateMirror } from './mirror-records.ts'
import type { Mirror } from './mirror-records.ts'
import { readLedgerWindow } from './read-ledger-pages.ts'
import type { LedgerReading } from './sale-transaction.ts'

/** Sales of the last minutes before a reading may not all have been listed yet. */
const OVERLAP_MS = 15 * MINUTE
/** How far each reading goes back over known sales, and how far once an hour. */
const LOOK_BACK_MS = 2 * HOUR
export const DEEP_LOOK_BACK_MS = 48 * HOUR
const DEEP_EVERY_MS = HOUR
/** Pages reserved for the gap, however much there is to re-read. */
const PAGES_FOR_GAP = 5
/** A ledger read this recently is not read again. */
const MIN_READ_INTERVAL_MS = 10 * SECOND
/** A platform's clock may be a little ahead of ours. */
const CLOCK_SKEW_MS = MINUTE
/** When a mirror is created, only sales this recent are announced. */
const ANNOUNCE_MAX_AGE_MS = HOUR

export type LedgerContext = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'log' | 'ledgerReads'>

export interface ReadingOptions {
  readonly windowDays?: number
  /** Also re-read the whole window, for sales that changed since. */
  readonly sweep?: boolean
}

/** Namespaces whose ledger can be read now. */
export const ledgerNamespaces = ({ vendors }: Pick<Context, 'vendors'>): Namespace[] =>
  vendors.registrations
    .filter(
      ({ role, status, namespace }) => role === 'machine' && status === 'live' && vendors.supports(namespace, 'ledger'),
    )
    .map(({ namespace }) => namespace)

/** Brings every mirror up to date. Returns the first failure; the other mirrors are read all the same. */
export async function catchUp(ctx: LedgerContext): Promise<Failure | undefined> {
  const failures = await Promise.all(ledgerNamespaces(ctx).map((namespace) => catchUpOne(ctx, namespace)))
  return failures.find((failure) => failure !== undefined)
}

const catchUpOne = (ctx: LedgerContext, namespace: Namespace): Promise<Failure | undefined> =>
  ctx.ledgerReads.running.run(namespace, async () => {
    const age = ctx.clock.now() - ((await findMirror(ctx.store.db, namespace))?.read_at ?? -Infinity)
    return age >= 0 && age < MIN_READ_INTERVAL_MS ? undefined : readLedger(ctx, namespace, {})
  })

/** The same for a sync: always reads, over the sync's own window. Syncs hold a lease, so no other one shares the reading. */
export const refreshLedger = (
  ctx: LedgerContext,
  namespace: Namespace,
  options: ReadingOptions,
): Promise<Failure | undefined> => ctx.ledgerReads.running.runNext(namespace, () => readLedger(ctx, namespace, options))

async function readLedger(
  ctx: LedgerContext,
  namespace: Namespace,
  options: ReadingOptions,
): Promise<Failure | undefined> {
  const machine = ctx.vendors.machine(namespace)
  if (!machine.ok) return undefined
  const now = ctx.clock.now()
  const before = await findOrCreateMirror(ctx, namespace)
  const reader = rangeReader(ctx, machine.value, before)
  const isDeep = isDeepReadDue(before.deep_read_at, now)

  // Sales from here on count as known afterwards; older ones are only re-read.
  const claimFrom = Math.max(BEGINNING, before.covered_to - OVERLAP_MS)
  const gapBefore = gapOf(before)
  const window = (lookBackMs: number) => ({
    from: Math.max(BEGINNING, before.covered_to - lookBackMs),
    to: now + CLOCK_SKEW_MS,
  })
  const pages = LEDGER_PAGES_MAX - (gapBefore ? PAGES_FOR_GAP : 0)
  let { from, to } = window(isDeep ? DEEP_LOOK_BACK_MS : LOOK_BACK_MS)
  let forward = await reader.read({ from, to }, pages)
  if (forward.failure && isTooManyRefused(forward.failure) && !isDeep) {
    // In a short window one unreadable sale may exceed the limit of a fifth; a longer window has more sales, so one bad row stays below the limit.
    ;({ from, to } = window(DEEP_LOOK_BACK_MS))
    forward = await reader.read({ from, to }, pages)
  }
  if (forward.failure && !forward.hasRecords) return forward.failure

  let gap = joinRanges(gapBefore, range(claimFrom, forward.reachedMs))
  let recheck = joinRanges(recheckOf(before), range(from, Math.min(forward.reachedMs, claimFrom)))
  let sweptTo = before.swept_to
  let failure = forward.failure

  if (gap && !failure) {
    const back = await reader.read(gap)
    gap = range(gap.from, back.reachedMs)
    failure = back.failure
  }
  if (recheck && !failure) {
    const again = await reader.read(recheck)
    recheck = range(recheck.from, again.reachedMs)
    failure = again.failure
  }
  const windowStart = now - (options.windowDays ?? SALES_WINDOW_DAYS_DEFAULT) * DAY
  if (options.sweep && from > windowStart && !gap && !failure) {
    // A sweep of a longer window may already be past the start of this one; then a new sweep begins at the top.
    const swept = await reader.read({
      from: windowStart,
      to: sweptTo !== null && sweptTo > windowStart ? sweptTo : now,
    })
    sweptTo = swept.reachedMs > windowStart ? swept.reachedMs : null
    failure = swept.failure
  }

  await updateMirror(ctx.store.db, namespace, {
    covered_from: BEGINNING,
    covered_to: now,
    gap_from: gap?.from ?? null,
    gap_to: gap?.to ?? null,
    recheck_from: recheck?.from ?? null,
    recheck_to: recheck?.to ?? null,
    swept_to: sweptTo,
    ...(isDeep ? { deep_read_at: now } : {}),
    // After a failure the next caller reads again at once.
    ...(failure ? {} : { read_at: now }),
  })
  return failure
}

/** Also when the last one lies in the future: then the clock was set back since. */
const isDeepReadDue = (lastAt: number | null, now: number): boolean =>
  lastAt === null || now - lastAt >= DEEP_EVERY_MS || lastAt > now

const isTooManyRefused = ({ raw }: Failure): boolean => raw?.startsWith(TOO_MANY_REFUSED) ?? false

const readingOf = (mirror: Mirror, now: number): LedgerReading => ({
  namespace: mirror.namespace as Namespace,
  now,
  announceFrom: mirror.announce_from,
  isFirst: mirror.covered_to === mirror.covered_from,
})

/** Reads ranges of one ledger into the mirror until the pages of this reading are used up. */
function rangeReader(ctx: LedgerContext, vendor: MachineVendor, mirror: Mirror) {
  let pagesLeft = LEDGER_PAGES_MAX
  const now = ctx.clock.now()
  return {
    async read({ from, to }: TimeRange, pagesMax = LEDGER_PAGES_MAX) {
      const budget = Math.min(pagesMax, pagesLeft)
      if (budget <= 0) return { reachedMs: to, hasRecords: false, failure: undefined }
      const { records, reachedMs, pages, failure } = await readLedgerWindow(vendor, { fromMs: from, toMs: to }, budget)
      pagesLeft -= pages
      await ingest(ctx, records, readingOf(mirror, now))
      ctx.ledgerReads.note(mirror.namespace as Namespace, { from: reachedMs, to, at: now })
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
  if (pages.failure && isTooManyRefused(pages.failure)) pages = await read({ from: from - DAY, to: to + DAY })
  await ingest(ctx, pages.records, readingOf(mirror, now))
  ctx.ledgerReads.note(namespace, { from: pages.reachedMs, to, at: now })
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

const recheckOf = ({ recheck_from, recheck_to }: Mirror): TimeRange | undefined =>
  recheck_from === null || recheck_to === null ? undefined : { from: recheck_from, to: recheck_to }

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
export const ledgerCoverage = async (db: Queryable): Promise<Coverage[]> =>
  (await startedMirrors(db)).map((mirror) => ({
    namespace: mirror.namespace as Namespace,
    to: mirror.covered_to,
    gap: gapOf(mirror),
  }))

/** Whether a reading would find more to do than what is new. */
export const hasUnreadHistory = async (db: Queryable): Promise<boolean> =>
  (await startedMirrors(db)).some((mirror) => gapOf(mirror) !== undefined || recheckOf(mirror) !== undefined)

/** From when on the mirror is complete, for statistics over a window; null where nothing is missing since `from`. */
export const completeSince = ({ gap }: Coverage, from: number): number | null => (gap && gap.to > from ? gap.to : null)
