/** A number that can hardly be, such as 999 in a slot of 20, is booked only when the caller confirms it. */
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { count } from '../../../kernel/text.ts'
import type { Tx } from '../../../store/store.ts'
import { type StoredSlot, findSlot } from '../slot-records.ts'
import { findHighestStock } from '../stock/stock-log-records.ts'

/** A count above this many times the highest level ever there is doubted. */
const HIGHEST_FACTOR = 3

export interface CountFacts {
  readonly capacity: number | null
  /** The highest level that was ever there, or is expected now; 0: none is known. */
  readonly highest: number
}

/** What a plan counts on where a count was confirmed that nothing seen before comes near to; undefined: what was counted. */
export const plausibleMaxOf = (counted: number, highest: number): number | undefined =>
  highest > 0 && counted > HIGHEST_FACTOR * highest ? HIGHEST_FACTOR * highest : undefined

/** A receipt is no count: the contract limits it to what fits. */
export const isDoubtfulCount = (counted: number, { capacity, highest }: CountFacts): boolean =>
  (capacity !== null && counted > capacity) || plausibleMaxOf(counted, highest) !== undefined

export interface CountToCheck {
  readonly vendorSku: string
  readonly counted: number
  /** They were counted as they were taken out. */
  readonly isTakenOut?: boolean
  /** Units loaded beside the count. */
  readonly loaded?: number | undefined
  /** As the same request states it. */
  readonly capacity?: number | null | undefined
  readonly path: string
}

/** One error for each count that the caller has to confirm. */
export async function findDoubtfulCounts(
  tx: Tx,
  location: string,
  counts: readonly CountToCheck[],
): Promise<readonly ErrorMessage[]> {
  const doubtful: ErrorMessage[] = []
  for (const { vendorSku, counted, loaded = 0, capacity, path, isTakenOut } of counts) {
    const slot = await findSlot(tx, location, vendorSku)
    if (!slot) continue
    const expected = slot.stock === null ? null : slot.stock + loaded
    const highest = await findHighestBelieved(tx, slot, loaded)
    const facts = { capacity: capacity === undefined ? slot.capacity : capacity, highest }
    const what = isTakenOut ? 'taken out' : 'counted'
    if (isDoubtfulCount(counted, facts)) doubtful.push(doubtfulCountError(slot, counted, what, expected, facts, path))
  }
  return doubtful.slice(0, PROBLEMS_MAX)
}

/** The highest level that was there, or is expected after `loaded`: without what was counted and doubted. 0: none is known. */
export async function findHighestBelieved(tx: Tx, slot: StoredSlot, loaded: number): Promise<number> {
  const { location, vendorSku, stock, booking } = slot
  if (booking?.plausibleMax !== undefined) return booking.plausibleMax / HIGHEST_FACTOR
  return Math.max(stock === null ? 0 : stock + loaded, await findHighestStock(tx, location, vendorSku))
}

function doubtfulCountError(
  { slotId, title }: StoredSlot,
  counted: number,
  what: string,
  expected: number | null,
  { capacity, highest }: CountFacts,
  path: string,
): ErrorMessage {
  const limit =
    capacity !== null && counted > capacity
      ? `the slot holds ${capacity}`
      : `at most ${count(highest, 'unit')} ${highest === 1 ? 'was' : 'were'} ever there`
  return error(
    'invalid',
    `${title}: ${counted} ${what}, but ${limit}. Send confirm_count: true if the number is right`,
    path,
    {
      slot: slotId,
      product: title,
      counted,
      highest,
      expected: expected ?? 'unknown',
      capacity: capacity ?? 'unknown',
    },
  )
}
