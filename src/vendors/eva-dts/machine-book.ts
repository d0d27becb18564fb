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

/** A sale of the book as the ledger shows it; made only for the page that is asked for. */
export interface BookedSale {
  readonly at: number
  readonly orderNo: string
  readonly toRecord: () => LedgerRecord
}

export const salesOf = (
  location: string,
  { intervals }: MachineBook,
  fromMs: number,
  toMs: number,
): readonly BookedSale[] =>
  intervals.flatMap(({ hash, sold }) =>
    sold
      .filter(({ at }) => at >= fromMs && at <= toMs)
      .map((sale) => {
        const orderNo = `${location}.${hash}.${sale.selection}`
        return { at: sale.at, orderNo, toRecord: () => toRecord(location, orderNo, sale) }
      }),
  )

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
