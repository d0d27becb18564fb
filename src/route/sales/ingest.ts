/** Writes ledger records into the mirror, with the daily totals and the packed history. The same record again changes nothing. */
import { localDay } from '../../kernel/clock.ts'
import { chunk, yieldToEventLoop } from '../../lib/concurrency.ts'
import type { Tx } from '../../store/store.ts'
import type { LedgerRecord } from '../../vendors/machine-vendor.ts'
import type { Context } from '../../context.ts'
import { loadLedgerMachines } from './ledger-machine-records.ts'
import { lockMirror } from './mirror-records.ts'
import { type SlotDay, recountDays, replaceSaleLines, findSaleRows, writeSaleTransactions } from './records.ts'
import { type IngestContext, type SaleTransactionRow, changedRow, NO_TIME, paidLines } from './sale-transaction.ts'
import { type SlotChange, rebuildSalesSeries } from './slot-series-records.ts'

/** Per transaction, so that none holds the database or the event loop for long. */
const SALES_AT_ONCE = 100

type Deps = Pick<Context, 'store' | 'config' | 'log'>

export async function ingest(deps: Deps, records: readonly LedgerRecord[], reading: IngestContext): Promise<void> {
  for (const part of chunk(records, SALES_AT_ONCE)) {
    const changed = await deps.store.transaction((tx) => ingestPart(tx, part, reading, deps.config.timeZone))
    warnAboutUndated(deps, changed)
    await yieldToEventLoop()
  }
}

/** Such a sale is stored and listed, but belongs to no day. */
function warnAboutUndated({ log }: Deps, rows: readonly SaleTransactionRow[]): void {
  const undated = rows.filter(({ created_at }) => created_at === NO_TIME)
  if (undated.length > 0)
    log.warn(
      { sales: undated.map(({ order_no }) => order_no) },
      'Sales without a valid timestamp are not counted in statistics',
    )
}

/** Returns the rows that are new or changed. */
async function ingestPart(
  tx: Tx,
  records: readonly LedgerRecord[],
  reading: IngestContext,
  deploymentZone: string,
): Promise<readonly SaleTransactionRow[]> {
  const { namespace } = reading
  await lockMirror(tx, namespace)
  const orderNos = records.map(({ orderNo }) => orderNo)
  const known = new Map((await findSaleRows(tx, namespace, orderNos)).map((row) => [row.order_no, row]))
  const changes = records.flatMap((record) => {
    const before = known.get(record.orderNo)
    const after = changedRow(record, before, reading)
    return after ? [{ before, after: after as SaleTransactionRow }] : []
  })
  if (changes.length === 0) return []

  const rows = changes.map(({ after }) => after)
  await writeSaleTransactions(tx, rows)
  const machines = await loadLedgerMachines(tx, [...new Set(changes.flatMap(locationsOf))])
  const dayOf: DayOf = (location, at) => localDay(at, machines({ namespace, id: location }).timeZone ?? deploymentZone)
  const days = new Map<string, SlotDay>()
  const slotChanges: SlotChange[] = []
  for (const { before, after } of changes)
    for (const row of before ? [before, after] : [after])
      for (const { sold } of paidLines(row)) {
        const { location, created_at: at } = row
        const day = dayOf(location, at)
        days.set(`${day} ${location} ${sold.vendorSku}`, { location, vendorSku: sold.vendorSku, day })
        slotChanges.push({ location, vendorSku: sold.vendorSku, at })
      }
  await replaceSaleLines(
    tx,
    namespace,
    changes.flatMap(({ before }) => (before ? [before.order_no] : [])),
    rows.flatMap((row) => paidLineRows(row, dayOf)),
  )
  await recountDays(tx, namespace, [...days.values()])
  await rebuildSalesSeries(tx, namespace, slotChanges)
  return rows
}

/** The local day of a sale. */
type DayOf = (location: string, at: number) => string

const locationsOf = ({
  before,
  after,
}: {
  readonly before: SaleTransactionRow | undefined
  readonly after: SaleTransactionRow
}): string[] => (before ? [before.location, after.location] : [after.location])

const paidLineRows = (row: SaleTransactionRow, dayOf: DayOf) =>
  paidLines(row).map(({ line, sold }) => ({
    namespace: row.namespace,
    order_no: row.order_no,
    line,
    location: row.location,
    vendor_sku: sold.vendorSku,
    at: row.created_at,
    day: dayOf(row.location, row.created_at),
    price_fen: sold.priceFen,
    cost_fen: sold.costFen,
  }))
