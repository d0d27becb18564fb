/**
 * Sales and stock levels of a slot, a block of 32 days of them in one text. Whoever writes the rows they tell of has them
 * joined anew in the same transaction: then a refund, a repeat or a late trade can never leave them wrong.
 */
import { sql } from 'kysely'
import { DAY } from '../../kernel/clock.ts'
import type { Tx } from '../../store/store.ts'

const BLOCK_MS = 32 * DAY
const BLOCKS_AT_ONCE = 128

export const blockOf = (at: number): number => Math.floor(at / BLOCK_MS)
export const blockStart = (block: number): number => block * BLOCK_MS

/** Something happened to a slot at an instant. */
export interface SlotMoment {
  readonly location: string
  readonly vendorSku: string
  readonly at: number
}

interface Touched {
  readonly location: string
  readonly vendorSku: string
  readonly block: number
}

function touchedBy(moments: readonly SlotMoment[]): Touched[][] {
  const touched = new Map<string, Touched>()
  for (const { location, vendorSku, at } of moments) {
    // Between names and numbers stands a space; goods named with one can stand in no slot (2.2).
    if (vendorSku.includes(' ')) continue
    const block = blockOf(at)
    touched.set(`${block} ${location} ${vendorSku}`, { location, vendorSku, block })
  }
  return inFewSizes([...touched.values()])
}

/** Slices of 128, 64, 32 … 1: the statements then have few lengths, and few of them are prepared and kept. */
function inFewSizes<T>(items: readonly T[]): T[][] {
  const parts: T[][] = []
  for (let from = 0, size = BLOCKS_AT_ONCE; from < items.length; from += size) {
    while (size > items.length - from) size /= 2
    parts.push(items.slice(from, from + size))
  }
  return parts
}

const MS = sql.lit(BLOCK_MS)

/** Lines are found by their local day, which is at most one off the day in UTC. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

export async function rebuildSalesSeries(tx: Tx, moments: readonly SlotMoment[]): Promise<void> {
  for (const part of touchedBy(moments)) {
    await forget(tx, 'slot_sales', part)
    const touched = sql.join(
      part.map(({ location, vendorSku, block }) => {
        const start = blockStart(block)
        return sql`(${location}, ${vendorSku}, cast(${block} as bigint), ${dayText(start - DAY)}, ${dayText(start + BLOCK_MS + DAY)})`
      }),
    )
    await sql`insert into slot_sales (location, vendor_sku, block, sold)
      select touched.column1, touched.column2, touched.column3,
        string_agg(cast(sale_line.at - touched.column3 * ${MS} as text), ',' order by sale_line.at)
      from (values ${touched}) as touched
      join sale_line on sale_line.location = touched.column1 and sale_line.vendor_sku = touched.column2
        and sale_line.day >= touched.column4 and sale_line.day <= touched.column5
        and sale_line.at >= touched.column3 * ${MS} and sale_line.at < (touched.column3 + 1) * ${MS}
      group by touched.column1, touched.column2, touched.column3`.execute(tx)
  }
}

/**
 * Of the levels only those a plan can tell something from: marks (nothing there, or goods booked), what stands next to
 * one, the first and the last, and those that no later one reaches, so that the highest since any instant is among them.
 * In front stands the last level before the block: what the slot held when it began.
 */
export async function rebuildLevelSeries(tx: Tx, moments: readonly SlotMoment[]): Promise<void> {
  for (const part of touchedBy(moments)) {
    await forget(tx, 'slot_levels', part)
    await sql`insert into slot_levels (location, vendor_sku, block, levels)
      select own.location, own.vendor_sku, own.block, coalesce((
          select ${levelText('earlier')} || ',' from stock_log as earlier
          where earlier.location = own.location and earlier.vendor_sku = own.vendor_sku and earlier.at < own.block * ${MS}
          order by earlier.at desc limit 1
        ), '') || string_agg(${levelText('own')}, ',' order by own.at)
      from (
        select touched.column1 as location, touched.column2 as vendor_sku, touched.column3 as block,
          at, stock, source, ${MARKS} as marks, lag(${MARKS}) over points as marks_before,
          lead(${MARKS}) over points as marks_after,
          max(stock) over (partition by touched.column1, touched.column2, touched.column3 order by at
            rows between 1 following and unbounded following) as highest_after
        from (values ${keys(part)}) as touched
        join stock_log on stock_log.location = touched.column1 and stock_log.vendor_sku = touched.column2
          and stock_log.at >= touched.column3 * ${MS} and stock_log.at < (touched.column3 + 1) * ${MS}
        window points as (partition by touched.column1, touched.column2, touched.column3 order by at)
      ) as own
      where own.marks = 1 or coalesce(own.marks_before, 1) = 1 or coalesce(own.marks_after, 1) = 1
        or own.stock > own.highest_after
      group by own.location, own.vendor_sku, own.block`.execute(tx)
  }
}

const MARKS = sql`case when stock <= 0 or source = 'receipt' then 1 else 0 end`

const levelText = (table: 'own' | 'earlier') => {
  const [at, stock, source] = ['at', 'stock', 'source'].map((column) => sql.ref(`${table}.${column}`))
  return sql`cast(${at} - own.block * ${MS} as text) || ':' || cast(${stock} as text)
    || case ${source} when 'receipt' then 'r' else '' end`
}

const keys = (part: readonly Touched[]) =>
  sql.join(part.map(({ location, vendorSku, block }) => sql`(${location}, ${vendorSku}, cast(${block} as bigint))`))

async function forget(tx: Tx, table: 'slot_sales' | 'slot_levels', part: readonly Touched[]): Promise<void> {
  await sql`delete from ${sql.table(table)} where (location, vendor_sku, block) in (values ${keys(part)})`.execute(tx)
}
