/** What was observed of slots: their sales and stock levels, of the slots that are there now. */
import { sql } from 'kysely'
import type { Queryable } from '../../../store/store.ts'
import { blockOf } from '../../sales/index.ts'
import type { Reading, Sales } from '../planner/input.ts'
import { COLON, COMMA, forEachRecord, GAP, MINUS, ZERO } from './decode-series.ts'
import type { Chunk, Codes, Shelves } from './decode-series.ts'

/** All that a machine's slots have in the given column, as one text: a row per slot would cost more than what is in it. */
const told = (column: 'sold' | 'levels') => {
  const text = sql.ref(column)
  return sql<string>`string_agg(concat_ws(${sql.lit(GAP)}, vendor_sku, block, length(${text}), ${text}), ${sql.lit(GAP)})`.as(
    'told',
  )
}

/** Paid sales since, by slot id, in order of time. */
export async function salesBySlot(db: Queryable, shelves: Shelves, since: number): Promise<Map<string, Sales>> {
  const rows = await db
    .selectFrom('slot_sales')
    .select(['location', told('sold')])
    .where('location', 'in', [...shelves.keys()])
    .where('block', '>=', blockOf(since))
    .groupBy('location')
    .execute()
  const sales = new Map<string, Sales>()
  // One stretch of memory for many slots: a hundred thousand small ones would cost more than what is in them.
  let instants = new Float64Array(INSTANTS_AT_ONCE)
  let from = 0
  let to = 0
  forEachRecord(rows, shelves, (codes, chunk, isLast) => {
    const most = to + (chunk.to - chunk.from + 1) / 2
    if (most > instants.length) {
      const own = instants.subarray(from, to)
      instants = new Float64Array(Math.max(INSTANTS_AT_ONCE, 2 * (most - from)))
      instants.set(own)
      to -= from
      from = 0
    }
    to = putInstants(codes, chunk, since, instants, to)
    if (!isLast) return
    if (to > from) sales.set(chunk.slot.slotId, { at: instants.subarray(from, to) })
    from = to
  })
  return sales
}

const INSTANTS_AT_ONCE = 1 << 14

/** Writes them from `next` on and tells where the following ones go. */
function putInstants(codes: Codes, { start, from, to }: Chunk, since: number, into: Float64Array, next: number) {
  let put = next
  let offset = 0
  for (let i = from; i <= to; i++) {
    const code = i < to ? codes[i]! : COMMA
    if (code !== COMMA) {
      // In 32 bits, which are enough for a block and faster than a fraction.
      offset = (Math.imul(offset, 10) + code - ZERO) | 0
      continue
    }
    const at = start + (offset >>> 0)
    if (at >= since) into[put++] = at
    offset = 0
  }
  return put
}

export interface Levels {
  /** Only readings a plan can tell anything from. */
  readonly readings: readonly Reading[]
  readonly highest: number
}

/** Of the slots that were logged since; any other has had its present stock all the time. */
export async function levelsBySlot(db: Queryable, shelves: Shelves, since: number): Promise<Map<string, Levels>> {
  const rows = await db
    .selectFrom('slot_levels')
    .select(['location', told('levels')])
    .where('location', 'in', [...shelves.keys()])
    .where('block', '>=', blockOf(since))
    .groupBy('location')
    .execute()
  const found = new Map<string, Levels>()
  const log: Log = { length: 0, at: [], stock: [], booked: [] }
  forEachRecord(rows, shelves, (codes, chunk, isLast) => {
    pushPoints(codes, chunk, log)
    if (!isLast) return
    found.set(chunk.slot.slotId, levelsOf(log, chunk.slot.stock, since))
    log.length = 0
  })
  return found
}

/** Change points of one slot's stock, in order of time. The lists are used again for the next slot. */
export interface Log {
  length: number
  readonly at: number[]
  readonly stock: number[]
  readonly booked: boolean[]
}

/** A block begins with the last point before it, which the block before may have told already. */
function pushPoints(codes: Codes, { start, from, to }: Chunk, log: Log): void {
  let at = 0
  let value = 0
  let sign = 1
  let booked = false
  for (let i = from; i <= to; i++) {
    const code = i < to ? codes[i]! : COMMA
    if (code >= ZERO && code < COLON) value = value * 10 + code - ZERO
    else if (code === MINUS) sign = -1
    else if (code === COLON) {
      at = start + sign * value
      value = 0
      sign = 1
    } else if (code === COMMA) {
      if (log.length === 0 || at > log.at[log.length - 1]!) {
        log.at[log.length] = at
        log.stock[log.length] = sign * value
        log.booked[log.length] = booked
        log.length++
      }
      value = 0
      sign = 1
      booked = false
    } else booked = true
  }
}

function levelsOf(log: Log, stock: number, since: number): Levels {
  let first = 0
  while (first < log.length && log.at[first]! < since) first++
  let highest = stock
  for (let i = first; i < log.length; i++) if (log.stock[i]! > highest) highest = log.stock[i]!
  // What was empty when the time looked at began stayed so until the first sign of goods in it.
  const from = first > 0 && log.stock[first - 1]! <= 0 ? first - 1 : first
  return { readings: significantReadings(log, from, highest), highest }
}

/**
 * Emptiness is concluded from readings of none, from receipts, and from the signs of goods next to both; a level counts
 * when it is the highest, or the last. All other readings change nothing in a plan.
 */
export function significantReadings(log: Log, from: number, highest: number): Reading[] {
  const { length, at, stock, booked } = log
  const marks = (i: number) => i >= from && i < length && (stock[i]! <= 0 || booked[i]!)
  const kept: Reading[] = []
  let highestKept = false
  for (let i = from; i < length; i++) {
    const isHighest = !highestKept && stock[i] === highest
    if (isHighest) highestKept = true
    if (isHighest || i === length - 1 || marks(i - 1) || marks(i) || marks(i + 1))
      kept.push({ at: at[i]!, stock: stock[i]! })
  }
  return kept
}
