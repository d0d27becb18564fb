/**
 * What was observed of slots, one row per slot: a busy route has millions of sales and readings, and a row for each would
 * cost more than planning it. Both databases join them into one text, which is cheap to take apart again.
 */
import { sql } from 'kysely'
import type { Queryable } from '../../store/db.ts'
import type { Reading, Sales } from './state.ts'

const BETWEEN = ','
const WITHIN = ':'

/** Paid sales of the slots that are there now, in order of time. Slot by slot, so that older history costs nothing. */
export async function salesBySlot(
  db: Queryable,
  locations: readonly string[],
  fromDay: string,
): Promise<Map<string, Sales>> {
  const rows = await db
    .selectFrom('slot')
    .select((at) => [
      'slot.slot_id',
      at
        .selectFrom('sale_line')
        .select(sql<string>`string_agg(cast(sale_line.at as text), ${sql.lit(BETWEEN)})`.as('joined'))
        .whereRef('sale_line.location', '=', 'slot.location')
        .whereRef('sale_line.vendor_sku', '=', 'slot.vendor_sku')
        .where('sale_line.day', '>=', fromDay)
        .as('joined'),
    ])
    .where('slot.location', 'in', locations)
    .execute()
  const sales = new Map<string, Sales>()
  for (const { slot_id, joined } of rows)
    if (joined) sales.set(slot_id, { at: inOrder(Float64Array.from(joined.split(BETWEEN), Number)) })
  return sales
}

/** Databases promise no order in a joined text; mostly it is the index's, and then sorting is not needed. */
function inOrder(at: Float64Array): Float64Array {
  for (let i = 1; i < at.length; i++) if (at[i]! < at[i - 1]!) return at.toSorted()
  return at
}

export interface Levels {
  /** Only readings a plan can tell anything from. */
  readonly readings: readonly Reading[]
  readonly highest: number
}

export async function levelsBySlot(
  db: Queryable,
  locations: readonly string[],
  since: number,
): Promise<Map<string, Levels>> {
  const rows = await db
    .selectFrom('slot')
    .select((at) => [
      'slot.slot_id',
      'slot.stock',
      at
        .selectFrom('stock_log')
        .select(
          sql<string>`string_agg(cast(stock_log.at as text) || ${sql.lit(WITHIN)} || cast(stock_log.stock as text)
            || case stock_log.source when 'receipt' then 'r' else '' end, ${sql.lit(BETWEEN)})`.as('joined'),
        )
        .whereRef('stock_log.location', '=', 'slot.location')
        .whereRef('stock_log.vendor_sku', '=', 'slot.vendor_sku')
        .where('stock_log.at', '>=', since)
        .as('joined'),
    ])
    .where('slot.location', 'in', locations)
    .execute()
  return new Map(
    rows.map(({ slot_id, stock, joined }) => [slot_id, levelsOf(joined ? joined.split(BETWEEN) : [], stock)]),
  )
}

interface Point extends Reading {
  readonly booked: boolean
}

function levelsOf(joined: readonly string[], stock: number): Levels {
  const points = joined.map(pointOf).toSorted((a, b) => a.at - b.at)
  const highest = points.reduce((most, point) => Math.max(most, point.stock), stock)
  return { readings: telling(points, highest), highest }
}

function pointOf(text: string): Point {
  const middle = text.indexOf(WITHIN)
  return {
    at: Number(text.slice(0, middle)),
    stock: Number.parseInt(text.slice(middle + 1), 10),
    booked: text.endsWith('r'),
  }
}

/**
 * Emptiness is concluded from readings of none, from receipts, and from the signs of goods next to both; a level counts
 * when it is the highest, or the last. All other readings change nothing in a plan.
 */
export function telling(points: readonly Point[], highest: number): Reading[] {
  const marks = (point: Point | undefined) => point !== undefined && (point.stock <= 0 || point.booked)
  let highestKept = false
  return points.filter((point, i) => {
    const isHighest = !highestKept && point.stock === highest
    if (isHighest) highestKept = true
    return isHighest || i === points.length - 1 || marks(points[i - 1]) || marks(point) || marks(points[i + 1])
  })
}
