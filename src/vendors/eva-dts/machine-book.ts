/**
 * What is remembered of one machine: its last reading, and what was sold between the readings so far. A reading is
 * counted once, in the order of time; a file that turns up later and is older changes nothing that was reported. Pure.
 */
import { fen } from '../../kernel/fen.ts'
import { DAY } from '../../kernel/clock.ts'
import type { LedgerRecord } from '../contract.ts'
import type { Reading } from './dex-reading.ts'
import { pricesOf, salesBetween } from './dex-sales.ts'
import type { MachineReading } from './file-reading.ts'

/** Sales stay in the ledger this long after they were counted; the service has copied them long before. */
const LISTED_FOR_MS = 35 * DAY

export interface MachineBook {
  /** The first reading: what was sold before it is not known. */
  readonly countedFrom: number
  readonly last: CountedReading
  readonly intervals: readonly Interval[]
}

export interface CountedReading {
  readonly hash: string
  readonly at: number
  readonly state: Pick<Reading, 'total' | 'selections' | 'soldOut' | 'reconciled'>
  readonly notices: readonly string[]
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
  readonly at: number
}

/** How a machine's selections are named to callers, and when an event of its clock was. */
export interface Naming {
  readonly vendorSkuOf: (selection: string) => string
  readonly epochOf: (time: Reading['clock']) => number | undefined
}

/** The same object when the reading changes nothing. */
export function countReading(
  book: MachineBook | undefined,
  { hash, at, reading, notices }: MachineReading,
  { vendorSkuOf, epochOf }: Naming,
  now: number,
): MachineBook {
  const { total, selections, soldOut, reconciled } = reading
  const last: CountedReading = { hash, at, state: { total, selections, soldOut, reconciled }, notices }
  if (!book) return { countedFrom: at, last, intervals: [] }
  if (hash === book.last.hash || at <= book.last.at) return book
  const lastEvents = new Map(selections.map(({ code, lastEvent }) => [code, lastEvent]))
  const sold = salesBetween(book.last.state, reading).map(({ selection, prices }): Sold => {
    const eventAt = epochOf(lastEvents.get(selection))
    const isInside = eventAt !== undefined && eventAt > book.last.at && eventAt <= at
    return {
      selection,
      vendorSku: vendorSkuOf(selection),
      count: prices.length,
      value: prices.reduce((sum, price) => sum + price, 0),
      at: isInside ? eventAt : at,
    }
  })
  const listed = book.intervals.filter(({ addedAt }) => now - addedAt < LISTED_FOR_MS)
  return { ...book, last, intervals: sold.length === 0 ? listed : [...listed, { hash, addedAt: now, sold }] }
}

/**
 * The sales of a window, newest first. A large route has a million of them, so they are places in the books, sorted by
 * number; the records are made for the page that is asked for.
 */
export class SalesWindow {
  readonly #books: readonly (readonly [string, MachineBook])[]
  /** Book, interval and sale of each, three numbers a sale. */
  readonly #places: Uint32Array
  readonly #order: Uint32Array

  constructor(books: ReadonlyMap<string, MachineBook>, fromMs: number, toMs: number) {
    // By location, so that the order of equal times does not depend on which book was read first.
    this.#books = [...books].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const places: number[] = []
    const times: number[] = []
    for (const [b, [, { intervals }]] of this.#books.entries())
      for (const [i, { sold }] of intervals.entries())
        for (const [s, { at }] of sold.entries())
          if (at >= fromMs && at <= toMs) {
            places.push(b, i, s)
            times.push(at)
          }
    this.#places = Uint32Array.from(places)
    this.#order = Uint32Array.from(times.keys()).toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || a - b)
  }

  get total(): number {
    return this.#order.length
  }

  records(from: number, to: number): readonly LedgerRecord[] {
    return [...this.#order.subarray(from, to)].flatMap((place) => {
      const [b = 0, i = 0, s = 0] = this.#places.subarray(place * 3, place * 3 + 3)
      const [location, book] = this.#books[b] ?? []
      const interval = book?.intervals[i]
      const sale = interval?.sold[s]
      return location !== undefined && interval && sale
        ? [toRecord(location, `${location}.${interval.hash}.${sale.selection}`, sale)]
        : []
    })
  }
}

const toRecord = (location: string, orderNo: string, { vendorSku, count, value, at }: Sold): LedgerRecord => ({
  orderNo,
  status: 'DEX_METER',
  settled: true,
  locationId: location,
  totalFen: fen(value),
  createdAt: at,
  createdAtRaw: new Date(at).toISOString(),
  lines: pricesOf({ count, value }, undefined).map((price) => ({
    vendorSku,
    priceFen: fen(price),
    costFen: null,
    status: 'paid',
  })),
})
