/**
 * What is remembered of one machine: its last reading, and what was sold between the readings so far. A reading is
 * counted once, in the order of time; a file that turns up later and is older changes nothing that was reported. Pure.
 */
import { fen } from '../../kernel/fen.ts'
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { LedgerRecord } from '../machine-vendor.ts'
import { type CashCounters, cashBetween } from './dex-cash.ts'
import { type PairOrder, type Reading, type Selection, applyPairOrder } from './dex-reading.ts'
import { salesBetween, splitValue, spreadBetween, spreadTo } from './dex-sales.ts'
import type { MachineReading } from './file-reading.ts'

/** Sales stay in the ledger this long after they were counted; the service has copied them long before. */
const LISTED_FOR_MS = 35 * DAY

/** A machine sells less than this between two readings; a larger difference is a broken counter. */
const VENDS_MAX = 20_000
/** Copies of a file can turn up much later. */
const HASHES_KEPT = 400
/** A time further ahead than any wrong time zone is a wrong clock. */
const AHEAD_MAX_MS = 25 * HOUR

export interface MachineBook {
  /** The first reading: what was sold before it is not known. */
  readonly countedFrom: number
  readonly last: CountedReading
  readonly intervals: readonly Interval[]
  /** Hashes of the readings that were counted, oldest first. */
  readonly hashes?: readonly string[]
  /** The machine's own time at the first reading. */
  readonly firstStamp?: string
  readonly pairOrder?: PairOrder
  /** Of the last reading that stated one: `right`, or what the machine writes into every file. */
  readonly checksum?: string
  /** Counters of selections that the last reading did not have; they may come back. */
  readonly absent?: readonly Selection[]
  /** From when on the machine's cash is counted, and what it took from reading to reading; null where that cannot be told. */
  readonly cash?: CountedCash
  /** A reading that is either an old file, or the first after a restart that also lost the clock. */
  readonly doubted?: CountedReading
}

export interface CountedReading {
  readonly hash: string
  readonly at: number
  readonly stamp?: string
  readonly state: Pick<Reading, 'total' | 'selections' | 'soldOut' | 'reconciled'> & {
    readonly resets?: number | undefined
    readonly cash?: CashCounters | undefined
  }
  readonly notices: readonly string[]
}

interface CountedCash {
  readonly from: number
  readonly taken: readonly { readonly at: number; readonly amount: number | null }[]
}

interface Interval {
  readonly hash: string
  /** When it was counted. */
  readonly addedAt: number
  readonly sold: readonly Sold[]
}

interface Sold {
  readonly selection: string
  readonly vendorSku: string
  readonly count: number
  readonly value: number
  /** Of the first unit. Books of earlier versions have none: all units are one sale at `at`. */
  readonly first?: number
  /** Of the last unit. */
  readonly at: number
  /** The readings that they were sold between; absent where the time of each is known, and in books of earlier versions. */
  readonly between?: readonly [from: number, to: number]
}

/** How a machine's selections are named to callers, and when an event of its clock was. */
export interface Naming {
  /** For the selections of one reading. */
  readonly namesOf: (codes: readonly string[]) => (selection: string) => string
  readonly epochOf: (time: Reading['clock']) => number | undefined
}

export interface Counted {
  /** The same object when the reading changes nothing. */
  readonly book: MachineBook
  /** The reading is older than what was counted, and was not known. */
  readonly isOlder?: true
}

export function countReading(
  book: MachineBook | undefined,
  given: MachineReading,
  naming: Naming,
  now: number,
): Counted {
  const { hash, stamp, notices } = given
  const reading = applyPairOrder(given.reading, book?.pairOrder)
  const { total, selections, soldOut, reconciled, resets, cash, pairOrder } = reading
  const last: CountedReading = omitUndefined({
    hash,
    at: given.at > now + AHEAD_MAX_MS ? now : given.at,
    stamp,
    state: omitUndefined({ total, selections, soldOut, reconciled, resets, cash }),
    notices,
  })
  const learned = omitUndefined({ pairOrder, checksum: given.checksum })
  if (!book) {
    const first = omitUndefined({ firstStamp: stamp, cash: cash && beginCash(last.at) })
    return { book: { countedFrom: last.at, last, intervals: [], hashes: [hash], ...first, ...learned } }
  }
  if (hash === book.last.hash || hash === book.doubted?.hash || book.hashes?.includes(hash)) return { book }
  const before = stateBefore(book, last, now)
  if (before === 'older') return { book, isOlder: true }
  if (before === 'doubted') return { book: { ...book, doubted: last }, isOlder: true }
  return { book: { ...addInterval(book, before, last, reading, naming, now), ...learned } }
}

/**
 * Sales of selections that had no product when they were counted get the first one that is stated for them. The time of the
 * earliest, undefined where nothing is to be named.
 */
export function nameSales(
  book: MachineBook,
  unnamed: (selection: string) => string,
  skuOf: (selection: string) => string,
): { readonly book: MachineBook; readonly from: number } | undefined {
  let from = Infinity
  const intervals = book.intervals.map((interval) => ({
    ...interval,
    sold: interval.sold.map((one) => {
      const vendorSku = one.vendorSku === unnamed(one.selection) ? skuOf(one.selection) : one.vendorSku
      if (vendorSku === one.vendorSku) return one
      from = Math.min(from, one.first ?? one.at)
      return { ...one, vendorSku }
    }),
  }))
  return from === Infinity ? undefined : { book: { ...book, intervals }, from }
}

/** What the new reading is compared with; or why it is not counted. */
function stateBefore(book: MachineBook, next: CountedReading, now: number): CountedReading | 'older' | 'doubted' {
  const { last, firstStamp, doubted } = book
  const hasFallen = next.state.total.count < last.state.total.count
  const isLaterByClock = (next.stamp ?? '') > (last.stamp ?? '') && last.stamp !== undefined
  const isEarlierByClock = next.stamp !== undefined && next.stamp < (last.stamp ?? '')
  if (hasFallen && isEarlierByClock) {
    if (firstStamp !== undefined && next.stamp >= firstStamp) return 'older'
    return doubted && isRunning(doubted, next) ? doubted : 'doubted'
  }
  // A last time in the future was a wrong clock; it must not end the counting.
  const isLater = next.at > last.at || last.at > now + AHEAD_MAX_MS
  return isLater || (isLaterByClock && !hasFallen) ? last : 'older'
}

const RUNNING_AFTER_MS = 30 * MINUTE
const RUNNING_WITHIN_MS = 5 * MINUTE
const RUNNING_WITHIN_SHARE = 0.02

/** Between two files of a running machine its clock moves as the files' times do, or stands still. Copied files do not. */
function isRunning(one: CountedReading, other: CountedReading): boolean {
  const passed = other.at - one.at
  if (passed < RUNNING_AFTER_MS || one.stamp === undefined || other.stamp === undefined) return false
  const moved = stampMs(other.stamp) - stampMs(one.stamp)
  return moved === 0 || Math.abs(moved - passed) <= Math.max(RUNNING_WITHIN_MS, passed * RUNNING_WITHIN_SHARE)
}

/** For differences only: the digits are local time. */
const stampMs = (stamp: string): number =>
  Date.UTC(
    Number(stamp.slice(0, 4)),
    Number(stamp.slice(4, 6)) - 1,
    Number(stamp.slice(6, 8)),
    Number(stamp.slice(8, 10)),
    Number(stamp.slice(10, 12)),
    Number(stamp.slice(12, 14)),
  )

function addInterval(
  known: MachineBook,
  before: CountedReading,
  next: CountedReading,
  { selections }: Reading,
  { namesOf, epochOf }: Naming,
  now: number,
): MachineBook {
  const { doubted: _, ...book } = known
  const at = before.at > now + AHEAD_MAX_MS ? next.at : Math.max(next.at, before.at)
  const absent = before === book.last ? (book.absent ?? []) : []
  // Last, so that a counter which is absent now counts instead of the selection without one.
  const earlier = { ...before.state, selections: [...before.state.selections, ...absent] }
  const sales = salesBetween(earlier, next.state)
  const vendorSkuOf = namesOf(selections.map(({ code }) => code))
  const read = new Map(selections.map((selection) => [selection.code, selection]))
  const soldOut = new Set(next.state.soldOut)
  const until = Math.min(at, now)
  const sold = sales.map(({ selection, count, value }): Sold => {
    const { lastEvent, level } = read.get(selection) ?? {}
    const eventAt = epochOf(lastEvent)
    const isInside = eventAt !== undefined && eventAt > before.at && eventAt <= until
    // A selection that was sold out and filled again has sold since.
    const isLast = isInside && (count === 1 || level === 0 || soldOut.has(selection))
    const times = isLast ? spreadTo(before.at, eventAt, count) : spreadBetween(before.at, until, count)
    const isKnown = isLast && count === 1
    return {
      selection,
      vendorSku: vendorSkuOf(selection),
      count,
      value,
      ...times,
      ...(!isKnown && { between: [before.at, isLast ? eventAt : until] as const }),
    }
  })
  const listed = book.intervals.filter(({ addedAt }) => now - addedAt < LISTED_FOR_MS)
  const hashes = [...(book.hashes ?? [book.last.hash]), next.hash].slice(-HASHES_KEPT)
  const counted = new Set(selections.filter(hasCounter).map(({ code }) => code))
  const stillAbsent = earlier.selections.filter((one) => hasCounter(one) && !counted.has(one.code))
  const isTooMany = sales.reduce((sum, { count }) => sum + count, 0) > VENDS_MAX
  const notices = isTooMany ? [...next.notices, TOO_MANY] : next.notices
  return {
    ...book,
    ...(isTooMany ? { countedFrom: at } : {}),
    last: { ...next, at, notices },
    intervals: sold.length === 0 || isTooMany ? listed : [...listed, { hash: next.hash, addedAt: now, sold }],
    hashes,
    absent: stillAbsent,
    ...omitUndefined({ cash: addCash(book, isTooMany ? undefined : before, { ...next, at }, now) }),
  }
}

/** When the first sale was that the one book has and the other has not; undefined where there is none. */
export function firstNewSale(before: MachineBook | undefined, after: MachineBook): number | undefined {
  const known = new Set(before?.intervals.map(({ hash }) => hash))
  const times = after.intervals
    .filter(({ hash }) => !known.has(hash))
    .flatMap(({ sold }) => sold.map(({ first, at }) => first ?? at))
  return times.length === 0 ? undefined : times.reduce((earliest, time) => Math.min(earliest, time))
}

/** Counting begins with a reading that has taken nothing yet. */
const beginCash = (at: number): CountedCash => ({ from: at, taken: [{ at, amount: 0 }] })

/** @param before undefined: the counters are broken */
function addCash(
  { cash, last }: MachineBook,
  before: CountedReading | undefined,
  { at, state }: CountedReading,
  now: number,
): CountedCash | undefined {
  if (!cash) return state.cash && beginCash(at)
  const amount = before === last ? cashBetween(before.state, state) : null
  const taken = [...cash.taken, { at, amount }].filter((each) => now - each.at < LISTED_FOR_MS).slice(-HASHES_KEPT)
  return { from: taken[0]?.at ?? at, taken }
}

const hasCounter = ({ sinceStart, sinceReset }: Selection): boolean => (sinceStart ?? sinceReset) !== undefined

const TOO_MANY = `More than ${VENDS_MAX} sales since the reading before; they were not counted`

/**
 * The sales of a window, newest first. A large route has a million of them, so they are places in the books, sorted by
 * number; the records are made for the page that is asked for.
 */
export class SalesWindow {
  readonly #books: readonly (readonly [string, MachineBook])[]
  /** Book, interval, sale and unit of each, four numbers a sale. */
  readonly #places: Uint32Array
  readonly #order: Uint32Array

  constructor(books: ReadonlyMap<string, MachineBook>, fromMs: number, toMs: number) {
    // By location, so that the order of equal times does not depend on which book was read first.
    this.#books = [...books].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const places: number[] = []
    const times: number[] = []
    for (const [b, [, { intervals }]] of this.#books.entries())
      for (const [i, { sold }] of intervals.entries())
        for (const [s, sale] of sold.entries()) {
          if (sale.at < fromMs || (sale.first ?? sale.at) > toMs) continue
          for (let unit = 0; unit < recordsOf(sale); unit++) {
            const at = timeOfUnit(sale, unit)
            if (at < fromMs || at > toMs) continue
            places.push(b, i, s, unit)
            times.push(at)
          }
        }
    this.#places = Uint32Array.from(places)
    this.#order = Uint32Array.from(times.keys()).toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || a - b)
  }

  get total(): number {
    return this.#order.length
  }

  records(from: number, to: number): readonly LedgerRecord[] {
    return [...this.#order.subarray(from, to)].flatMap((place) => {
      const [b = 0, i = 0, s = 0, unit = 0] = this.#places.subarray(place * 4, place * 4 + 4)
      const [location, book] = this.#books[b] ?? []
      const interval = book?.intervals[i]
      const sale = interval?.sold[s]
      return location !== undefined && interval && sale ? [toRecord(location, interval.hash, sale, unit)] : []
    })
  }
}

/** Each unit is a sale, as on any platform. */
const recordsOf = ({ first, count }: Sold): number => (first === undefined ? 1 : count)

const timeOfUnit = ({ first, at, count }: Sold, unit: number): number =>
  first === undefined || unit === count - 1 ? at : Math.round(first + ((at - first) * unit) / (count - 1))

function toRecord(location: string, hash: string, sale: Sold, unit: number): LedgerRecord {
  const { selection, vendorSku, count, value, first, between } = sale
  const at = timeOfUnit(sale, unit)
  const all = splitValue(count, value)
  const prices = first === undefined ? all : all.slice(unit, unit + 1)
  return {
    orderNo: [location, hash, selection, ...(first === undefined ? [] : [unit + 1])].join('.'),
    status: 'DEX_METER',
    settled: true,
    locationId: location,
    totalFen: fen(prices.reduce((sum, price) => sum + price, 0)),
    createdAt: at,
    // As an interval where only that is known; the last unit may have its own time.
    createdAtRaw: (between === undefined || at === between[1] ? [at] : between)
      .map((time) => new Date(time).toISOString())
      .join('/'),
    lines: prices.map((price) => ({ vendorSku, priceFen: fen(price), costFen: null, status: 'paid' })),
  }
}
