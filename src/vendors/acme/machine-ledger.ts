/** Reads trades of Acme Machine Cloud as ledger records. */
import { type Fen, fen } from '../../kernel/fen.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { LedgerLine, LedgerLineStatus, LedgerPage, LedgerRecord } from '../machine-vendor.ts'
import { type ReadRows, readTolerantly } from '../upstream/rows.ts'
import { type Fields, list, optionalText, object, objects, text, vendorCode, int } from '../upstream/read-json.ts'
import { fromWallTime, SHANGHAI } from '../upstream/wall-time.ts'
import { yuanAmount } from '../upstream/yuan.ts'

const SETTLED: ReadonlySet<string> = new Set(['TRADE_SUCCESS', 'TRADE_SUCCESS_MANUAL'])

const LINE_STATUS: Readonly<Record<number, LedgerLineStatus>> = {
  0: 'unpaid',
  1: 'paid',
  3: 'refunded',
  4: 'refund_failed',
  9: 'cancelled',
}

const FIELD_NAMES = {
  tradeNo: 'number',
  tradeStatus: 'status',
  deviceId: 'machine',
  amount: 'total',
  goods: 'lines',
  goodsCode: 'product code',
  price: 'price',
  payStatus: 'payment status',
}

interface ReadLedgerPage extends Pick<ReadRows<never>, 'unreadable'> {
  readonly page: LedgerPage
}

export function readLedgerPage(result: unknown, settledOnly: boolean, notice?: (text: string) => void): ReadLedgerPage {
  const page = object(result, 'result')
  const { rows, unreadable } = readTolerantly(list(page['records'], 'records'), {
    kind: 'sale',
    id: 'tradeNo',
    fieldNames: FIELD_NAMES,
    read: (trade) => readTrade(trade, notice),
  })
  return {
    page: {
      records: settledOnly ? rows.filter((trade) => trade.settled) : rows,
      page: int(page, 'pageNum', 1),
      pages: int(page, 'pages'),
      total: int(page, 'total'),
    },
    unreadable,
  }
}

function readTrade(trade: Fields, notice?: (text: string) => void): LedgerRecord {
  const orderNo = text(trade, 'tradeNo')
  const status = text(trade, 'tradeStatus')
  const goods = objects(trade['goods'], 'goods')
  const lines = goods.flatMap((unit) => readUnit(unit, notice))
  if (lines.length < goods.length)
    notice?.(`sale ${orderNo}: lines left out because their code cannot be part of a SKU id`)
  return omitUndefined({
    orderNo,
    status,
    statusLabel: optionalText(trade, 'tradeStatusName'),
    settled: SETTLED.has(status),
    locationId: text(trade, 'deviceId'),
    locationName: optionalText(trade, 'deviceName'),
    totalFen: yuanAmount(trade, 'amount'),
    createdAt: fromWallTime(trade['createTime'], SHANGHAI),
    createdAtRaw: typeof trade['createTime'] === 'string' ? trade['createTime'] : '',
    lines,
  })
}

function readUnit(unit: Fields, notice?: (text: string) => void): LedgerLine[] {
  const vendorSku = vendorCode(unit, 'goodsCode')
  if (vendorSku === undefined) return []
  const priceFen = fen(int(unit, 'price'))
  const payStatus = int(unit, 'payStatus')
  const status = LINE_STATUS[payStatus]
  if (!status) notice?.(`pay status ${payStatus} is not documented and counts as unpaid`)
  return [
    {
      vendorSku,
      priceFen,
      costFen: knownCost(unit['cost'], priceFen),
      // Only what is known to be paid counts as a sale.
      status: status ?? 'unpaid',
    },
  ]
}

/** The platform reports an unknown cost as the price, or not at all. */
const knownCost = (cost: unknown, priceFen: Fen): Fen | null =>
  typeof cost === 'number' && Number.isSafeInteger(cost) && cost >= 0 && cost !== priceFen ? fen(cost) : null
