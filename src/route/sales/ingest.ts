/** Writes ledger records into the mirror, with the daily totals and the packed history. The same record again changes nothing. */
import { localDay } from '../../kernel/clock.ts'
import { type Namespace, type SkuId, skuIdOf } from '../../kernel/ids.ts'
import { chunk, yieldToEventLoop } from '../../lib/concurrency.ts'
import type { Tx } from '../../store/store.ts'
import type { LedgerRecord } from '../../vendors/machine-vendor.ts'
import type { Context } from '../../context.ts'
import { loadLedgerMachines } from './ledger-machine-records.ts'
import { lockMirror } from './mirror-records.ts'
import { type SlotDay, recountDays } from './day-records.ts'
import { type PaidLine, findPaidLines, replaceSaleLines, findSaleRows, writeSaleTransactions } from './records.ts'
import {
  type IngestContext,
  type SaleTransactionRow,
  type TransactionLine,
  changedRow,
  NO_TIME,
  paidLines,
  refundedLines,
} from './sale-transaction.ts'
import { type SlotChange, rebuildSalesSeries } from './slot-series-records.ts'
import { type KnownCosts, type UnitCost, loadKnownCosts, unitCostOf } from './costs/unit-costs.ts'

/** Per transaction, so that none holds the database or the event loop for long. */
const SALES_AT_ONCE = 100

type Deps = Pick<Context, 'store' | 'config' | 'log' | 'vendors'>

export async function ingest(deps: Deps, records: readonly LedgerRecord[], reading: IngestContext): Promise<void> {
  const costs = await loadKnownCosts(deps, deps.store.db, productsOf(records, reading))
  for (const part of chunk(records, SALES_AT_ONCE)) {
    const changed = await deps.store.transaction((tx) => ingestPart(tx, part, reading, deps.config.timeZone, costs))
    warnAboutUndated(deps, changed)
    await yieldToEventLoop()
  }
}

const productsOf = (records: readonly LedgerRecord[], { namespace }: IngestContext): SkuId[] =>
  [...new Set(records.flatMap(({ lines }) => lines.map(({ vendorSku }) => vendorSku)))].flatMap(
    (vendorSku) => skuIdOf(namespace, vendorSku) ?? [],
  )

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
  costs: KnownCosts,
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
  const knownOrderNos = changes.flatMap(({ before }) => (before ? [before.order_no] : []))
  const earlier = knownOrderNos.length === 0 ? [] : await findPaidLines(tx, namespace, knownOrderNos)
  const costOf = costsOf(namespace, costs, earlier)
  await replaceSaleLines(
    tx,
    namespace,
    knownOrderNos,
    rows.flatMap((row) => paidLineRows(row, dayOf, costOf)),
    rows.flatMap((row) => refundedLines(row).map(({ line, sold }) => lineRow(row, line, sold, dayOf))),
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

type CostOf = (orderNo: string, line: number, sold: TransactionLine) => UnitCost

/** A line that is stored already keeps the cost of then, unless it is another one now. */
function costsOf(namespace: Namespace, costs: KnownCosts, earlier: readonly PaidLine[]): CostOf {
  const stored = new Map(earlier.map((row) => [`${row.line} ${row.order_no}`, row]))
  return (orderNo, line, { vendorSku, priceFen, costFen }) => {
    const known = stored.get(`${line} ${orderNo}`)
    if (known?.vendor_sku === vendorSku && known.price_fen === priceFen && known.cost_fen === costFen)
      return { costE4: known.unit_cost_e4, isEstimated: known.cost_estimated === 1 }
    const id = skuIdOf(namespace, vendorSku)
    return unitCostOf((id && costs.get(id)) ?? {}, { priceFen, ledgerFen: costFen })
  }
}

const lineRow = (row: SaleTransactionRow, line: number, sold: TransactionLine, dayOf: DayOf) => ({
  namespace: row.namespace,
  order_no: row.order_no,
  line,
  location: row.location,
  vendor_sku: sold.vendorSku,
  at: row.created_at,
  day: dayOf(row.location, row.created_at),
  price_fen: sold.priceFen,
})

const paidLineRows = (row: SaleTransactionRow, dayOf: DayOf, costOf: CostOf) =>
  paidLines(row).map(({ line, sold }) => {
    const { costE4, isEstimated } = costOf(row.order_no, line, sold)
    return {
      ...lineRow(row, line, sold, dayOf),
      cost_fen: sold.costFen,
      unit_cost_e4: costE4,
      cost_estimated: isEstimated ? 1 : 0,
    }
  })
