/** Writes ledger records into the mirror, and the daily roll-up of sales with them. The same record again changes nothing. */
import { sql } from 'kysely'
import { localDay } from '../../kernel/clock.ts'
import type { Tx } from '../../store/store.ts'
import type { LedgerRecord } from '../../vendors/contract.ts'
import type { Context } from '../context.ts'
import { yieldToEventLoop, chunk } from '../../lib/concurrency.ts'
import { rebuildSalesSeries } from './slot-series.ts'
import type { SlotMoment } from './slot-series.ts'
import { nextRow, NO_TIME, paidLines } from './sale-transaction.ts'
import type { Sighting, SaleTransactionRow } from './sale-transaction.ts'

/** Per transaction, so that none holds the database, or the event loop, for long. */
const TRADES_AT_ONCE = 100
const ROWS_AT_ONCE = 500

type Needs = Pick<Context, 'store' | 'config' | 'log'>

export async function ingest(needs: Needs, records: readonly LedgerRecord[], seen: Sighting): Promise<void> {
  for (const part of chunk(records, TRADES_AT_ONCE)) {
    const fresh = await needs.store.transaction((tx) => ingestPart(tx, part, seen, needs.config.timeZone))
    warnOfUndated(needs, fresh)
    await yieldToEventLoop()
  }
}

/** Such a trade is kept and listed, but can be counted on no day. */
function warnOfUndated({ log }: Needs, fresh: readonly SaleTransactionRow[]): void {
  const undated = fresh.filter(({ at }) => at === NO_TIME)
  if (undated.length > 0)
    log.warn(
      { trades: undated.map(({ order_no }) => order_no) },
      'trades without a readable time are not counted as sales',
    )
}

/** Gives back the rows that are new or changed. */
async function ingestPart(
  tx: Tx,
  records: readonly LedgerRecord[],
  seen: Sighting,
  timeZone: string,
): Promise<readonly SaleTransactionRow[]> {
  await lockMirror(tx, seen.namespace)
  const orderNos = records.map(({ orderNo }) => orderNo)
  const rows = await tx
    .selectFrom('trade')
    .selectAll()
    .where('order_no', 'in', orderNos)
    .where('namespace', '=', seen.namespace)
    .execute()
  const known = new Map(rows.map((row) => [row.order_no, row]))
  const changes = records.flatMap((record) => {
    const before = known.get(record.orderNo)
    const after = nextRow(record, before, seen)
    return after ? [{ before, after: after as SaleTransactionRow }] : []
  })
  if (changes.length === 0) return []

  await writeTrades(
    tx,
    changes.map(({ after }) => after),
  )
  const days = new Map<string, SlotDay>()
  const moments: SlotMoment[] = []
  const lines = changes.flatMap(({ before, after }) => {
    for (const row of before ? [before, after] : [after])
      for (const { sold } of paidLines(row)) {
        touch(days, row.location, sold.vendorSku, localDay(row.at, timeZone))
        moments.push({ location: row.location, vendorSku: sold.vendorSku, at: row.at })
      }
    return saleLines(after, timeZone)
  })
  const old = changes.filter(({ before }) => before).map(({ after }) => after.order_no)
  if (old.length > 0)
    await tx.deleteFrom('sale_line').where('order_no', 'in', old).where('namespace', '=', seen.namespace).execute()
  for (const part of chunk(lines, ROWS_AT_ONCE)) await tx.insertInto('sale_line').values(part).execute()
  for (const part of chunk([...days.values()], ROWS_AT_ONCE)) await rollUp(tx, part)
  await rebuildSalesSeries(tx, moments)
  return changes.map(({ after }) => after)
}

/** One writer of a namespace's mirror at a time over all instances: counting up holds the row until the commit. */
export async function lockMirror(tx: Tx, namespace: string): Promise<void> {
  await tx
    .updateTable('ledger_mirror')
    .set((at) => ({ writes: at('writes', '+', 1) }))
    .where('namespace', '=', namespace)
    .execute()
}

async function writeTrades(tx: Tx, rows: SaleTransactionRow[]): Promise<void> {
  await tx
    .insertInto('trade')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['order_no', 'namespace']).doUpdateSet((at) => ({
        location: at.ref('excluded.location'),
        location_name: at.ref('excluded.location_name'),
        status: at.ref('excluded.status'),
        status_label: at.ref('excluded.status_label'),
        settled: at.ref('excluded.settled'),
        total: at.ref('excluded.total'),
        at: at.ref('excluded.at'),
        at_raw: at.ref('excluded.at_raw'),
        lines: at.ref('excluded.lines'),
        changed_at: at.ref('excluded.changed_at'),
        to_announce: at.ref('excluded.to_announce'),
      })),
    )
    .execute()
}

const saleLines = (row: SaleTransactionRow, timeZone: string) =>
  paidLines(row).map(({ line, sold }) => ({
    namespace: row.namespace,
    order_no: row.order_no,
    line,
    location: row.location,
    vendor_sku: sold.vendorSku,
    at: row.at,
    day: localDay(row.at, timeZone),
    price: sold.priceFen,
    cost: sold.costFen,
  }))

interface SlotDay {
  readonly location: string
  readonly vendorSku: string
  readonly day: string
}

function touch(days: Map<string, SlotDay>, location: string, vendorSku: string, day: string): void {
  days.set(`${day} ${location} ${vendorSku}`, { location, vendorSku, day })
}

/** Counted anew from the lines, not added to: then a refund, a repeat or a late line can never leave it wrong. */
async function rollUp(tx: Tx, days: readonly SlotDay[]): Promise<void> {
  const touched = sql.join(days.map(({ location, vendorSku, day }) => sql`(${location}, ${vendorSku}, ${day})`))
  await sql`delete from sales_daily where (location, vendor_sku, day) in (values ${touched})`.execute(tx)
  await sql`insert into sales_daily (location, vendor_sku, day, units, revenue, last_at)
    select location, vendor_sku, day, count(*), sum(price), max(at) from sale_line
    where (location, vendor_sku, day) in (values ${touched})
    group by location, vendor_sku, day`.execute(tx)
}
