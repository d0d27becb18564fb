/**
 * Writes and reads the packed history of slots (slot-series.ts). It is rebuilt from the rows in the transaction that
 * changes them: a refund, a repeated or a late sale can then never leave it wrong.
 */
import { sql } from 'kysely'
import { DAY } from '../../kernel/clock.ts'
import { type SkuId, namespaceOf } from '../../kernel/ids.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import {
  BLOCK_MS,
  blockOf,
  blockStart,
  decodeLevels,
  decodeSales,
  forEachBlock,
  isPackable,
  packedLevel,
  packedRecords,
  packedSales,
  salesMax,
} from './slot-series.ts'
import type { LevelLog, SeriesSlot } from './slot-series.ts'

/** A slot was sold from, or its stock changed, at this instant. */
export interface SlotChange {
  readonly location: string
  readonly vendorSku: string
  readonly at: number
}

interface BlockKey {
  readonly location: string
  readonly vendorSku: string
  readonly block: number
}

const BATCH_SIZE = 128

function batchesOfChangedBlocks(changes: readonly SlotChange[]): BlockKey[][] {
  const keys = new Map<string, BlockKey>()
  for (const { location, vendorSku, at } of changes) {
    if (!isPackable(vendorSku)) continue
    const block = blockOf(at)
    keys.set(`${block} ${location} ${vendorSku}`, { location, vendorSku, block })
  }
  return splitIntoBatches([...keys.values()])
}

/** Batches of 128, 64, 32 … 1: few lengths, so that few different statements are prepared and cached. */
function splitIntoBatches<T>(items: readonly T[]): T[][] {
  const batches: T[][] = []
  for (let from = 0, size = BATCH_SIZE; from < items.length; from += size) {
    while (size > items.length - from) size /= 2
    batches.push(items.slice(from, from + size))
  }
  return batches
}

const BLOCK_LENGTH = sql.lit(BLOCK_MS)

/** Sales are found by their local day, which differs from the day in UTC by at most one. */
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

export async function rebuildSalesSeries(tx: Tx, namespace: string, changes: readonly SlotChange[]): Promise<void> {
  for (const batch of batchesOfChangedBlocks(changes)) {
    await sql`delete from slot_sales where (location, vendor_sku, block) in (values ${keyValues(batch)})
      and namespace = ${namespace}`.execute(tx)
    const changed = sql.join(
      batch.map(({ location, vendorSku, block }) => {
        const start = blockStart(block)
        return sql`(${location}, ${vendorSku}, cast(${block} as bigint), ${dayText(start - DAY)}, ${dayText(start + BLOCK_MS + DAY)})`
      }),
    )
    await sql`insert into slot_sales (namespace, location, vendor_sku, block, sold)
      select sale_line.namespace, changed.column1, changed.column2, changed.column3, ${packedSales('sale_line.at', 'changed.column3')}
      from (values ${changed}) as changed
      join sale_line on sale_line.location = changed.column1 and sale_line.vendor_sku = changed.column2
        and sale_line.namespace = ${namespace}
        and sale_line.day >= changed.column4 and sale_line.day <= changed.column5
        and sale_line.at >= changed.column3 * ${BLOCK_LENGTH} and sale_line.at < (changed.column3 + 1) * ${BLOCK_LENGTH}
      group by sale_line.namespace, changed.column1, changed.column2, changed.column3`.execute(tx)
  }
}

/**
 * Keeps only the levels that can change a plan: key points (empty, or a receipt), the levels before and after them, the
 * first and the last, and each level that no later one reaches, so that the highest since any instant is among them.
 */
export async function rebuildLevelSeries(tx: Tx, changes: readonly SlotChange[]): Promise<void> {
  for (const batch of batchesOfChangedBlocks(changes)) {
    await sql`delete from slot_levels where (location, vendor_sku, block) in (values ${keyValues(batch)})`.execute(tx)
    await sql`insert into slot_levels (location, vendor_sku, block, levels)
      select own.location, own.vendor_sku, own.block, coalesce((
          select ${packedLevel('earlier', 'own.block')} || ',' from stock_log as earlier
          where earlier.location = own.location and earlier.vendor_sku = own.vendor_sku and earlier.at < own.block * ${BLOCK_LENGTH}
          order by earlier.at desc limit 1
        ), '') || string_agg(${packedLevel('own', 'own.block')}, ',' order by own.at)
      from (
        select changed.column1 as location, changed.column2 as vendor_sku, changed.column3 as block,
          at, stock, source, ${IS_KEY_POINT} as key_point, lag(${IS_KEY_POINT}) over points as key_point_before,
          lead(${IS_KEY_POINT}) over points as key_point_after,
          max(case when source = 'receipt' then -1 else stock end) over (partition by changed.column1, changed.column2, changed.column3 order by at
            rows between 1 following and unbounded following) as highest_after
        from (values ${keyValues(batch)}) as changed
        join stock_log on stock_log.location = changed.column1 and stock_log.vendor_sku = changed.column2
          and stock_log.at >= changed.column3 * ${BLOCK_LENGTH} and stock_log.at < (changed.column3 + 1) * ${BLOCK_LENGTH}
        window points as (partition by changed.column1, changed.column2, changed.column3 order by at)
      ) as own
      where own.key_point = 1 or coalesce(own.key_point_before, 1) = 1 or coalesce(own.key_point_after, 1) = 1
        or own.stock > coalesce(own.highest_after, -1)
      group by own.location, own.vendor_sku, own.block`.execute(tx)
  }
}

const IS_KEY_POINT = sql`case when stock <= 0 or source = 'receipt' then 1 else 0 end`

const keyValues = (batch: readonly BlockKey[]) =>
  sql.join(batch.map(({ location, vendorSku, block }) => sql`(${location}, ${vendorSku}, cast(${block} as bigint))`))

const locationsOf = (slots: readonly SeriesSlot[]): string[] => [...new Set(slots.map(({ location }) => location))]

const INSTANTS_AT_ONCE = 1 << 14

/** A slot whose sales are read: those of its own platform. */
export interface SellingSlot extends SeriesSlot {
  readonly skuId: SkuId
}

/** The instants of paid sales since `since` by slot id, ascending. */
export async function loadSalesSince(
  db: Queryable,
  slots: readonly SellingSlot[],
  since: number,
): Promise<Map<string, { readonly at: Float64Array }>> {
  const sales = new Map<string, { readonly at: Float64Array }>()
  if (slots.length === 0) return sales
  const platforms = new Map(slots.map(({ location, skuId }) => [location, namespaceOf(skuId)]))
  const rows = await db
    .selectFrom('slot_sales')
    .select(['location', 'namespace', packedRecords('sold').as('records')])
    .where('location', 'in', locationsOf(slots))
    .where('block', '>=', blockOf(since))
    .groupBy(['location', 'namespace'])
    .execute()
  const machines = rows.filter(({ location, namespace }) => platforms.get(location) === namespace)
  // Slots share large arrays: one small array per slot would need more memory than its numbers.
  let instants = new Float64Array(INSTANTS_AT_ONCE)
  let from = 0
  let to = 0
  forEachBlock(machines, slots, (block, isLastOfSlot) => {
    const lengthNeeded = to + salesMax(block)
    if (lengthNeeded > instants.length) {
      const own = instants.subarray(from, to)
      instants = new Float64Array(Math.max(INSTANTS_AT_ONCE, 2 * (lengthNeeded - from)))
      instants.set(own)
      to -= from
      from = 0
    }
    to = decodeSales(block, since, instants, to)
    if (!isLastOfSlot) return
    if (to > from) sales.set(block.slot.slotId, { at: instants.subarray(from, to) })
    from = to
  })
  return sales
}

/** The ids of the slots that sold something in the blocks from `from` to `to`. */
export async function findSlotsWithSales(
  db: Queryable,
  slots: readonly SellingSlot[],
  from: number,
  to: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const batch of splitIntoBatches(slots)) {
    const wanted = sql.join(
      batch.map(({ location, skuId, vendorSku, slotId }) => {
        return sql`(${location}, ${namespaceOf(skuId)}, ${vendorSku}, ${slotId})`
      }),
    )
    const { rows } = await sql<{ slotId: string }>`select wanted.column4 as "slotId" from (values ${wanted}) as wanted
      where exists (select 1 from slot_sales where location = wanted.column1 and namespace = wanted.column2
        and vendor_sku = wanted.column3 and block >= ${blockOf(from)} and block <= ${blockOf(to)})`.execute(db)
    for (const { slotId } of rows) found.add(slotId)
  }
  return found
}

/** Calls `onLog` for each slot whose stock was logged since `since`. The log is reused: copy what is needed later. */
export async function forEachLevelLog<Slot extends SeriesSlot>(
  db: Queryable,
  slots: readonly Slot[],
  since: number,
  onLog: (slot: Slot, log: LevelLog) => void,
): Promise<void> {
  if (slots.length === 0) return
  const machines = await db
    .selectFrom('slot_levels')
    .select(['location', packedRecords('levels').as('records')])
    .where('location', 'in', locationsOf(slots))
    .where('block', '>=', blockOf(since))
    .groupBy('location')
    .execute()
  const log: LevelLog = { length: 0, at: [], stock: [], isReceipt: [] }
  forEachBlock(machines, slots, (block, isLastOfSlot) => {
    decodeLevels(block, log)
    if (!isLastOfSlot) return
    onLog(block.slot, log)
    log.length = 0
  })
}
