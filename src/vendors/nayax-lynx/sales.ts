/**
 * The last sales of one machine as ledger records. The platform shows about a hundred, without a window or pages, and
 * names products only in a text: one line per unit, `Name(MDB = price)` or `Name(MDB, PA = price)`.
 */
import { fen } from '../../kernel/fen.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { Result } from '../contract.ts'
import type { LedgerLine, LedgerRecord, MachineCash } from '../machine-vendor.ts'
import { type Fields, optionalText, UnreadableReply } from '../upstream/read-json.ts'
import { UnusableRow } from '../upstream/rows.ts'
import { minorOfPlain } from '../../kernel/minor-units.ts'
import type { LynxLane } from './lanes.ts'
import type { OperatorProduct } from './products.ts'
import {
  type Currency,
  checkMachine,
  idText,
  nullableAmount,
  nullableText,
  nullableWhole,
  readListing,
} from './reply.ts'
import { readUtc } from './utc-time.ts'

/** As many rows as this: earlier sales exist that are not shown. */
const FULL_LIST = 100
/** More units in one sale are a wrong number, not a sale. */
const MOST_UNITS = 100

export interface SalesReading {
  readonly machineId: string
  readonly currency: Currency
  readonly lanes: readonly LynxLane[]
  /** The operator's products, for their cost. */
  readonly products: ReadonlyMap<string, OperatorProduct>
}

export interface LastSales {
  readonly records: readonly LedgerRecord[]
  /** Sales of this machine before this moment are not known. Undefined: all were shown. */
  readonly completeFrom: number | undefined
}

const WORDS = {
  SiteID: 'number',
  TransactionID: 'number',
  MachineID: 'machine',
  SettlementValue: 'total',
  CurrencyCode: 'currency',
  ProductName: 'lines',
  MultivendNumverOfProducts: 'quantity',
  Quantity: 'quantity',
}

export function readLastSales(json: unknown, reading: SalesReading): Result<LastSales> {
  const productOf = productFinder(reading.lanes, reading.products)
  const read = (row: Fields) => readSale(row, reading, productOf)
  return readListing(json, { kind: 'sale', id: orderNoOf, fieldNames: WORDS, read }, (rows, unreadable) => {
    const records = [...new Map(rows.map((row) => [row.orderNo, row])).values()]
    return { records, completeFrom: completeFrom(records, rows.length + unreadable.length) }
  })
}

/** Undefined when it cannot be read. Transactions are numbered per site of the platform. */
function orderNoOf(row: Fields): string | undefined {
  const site = row['SiteID']
  const transaction = idText(row['TransactionID'])
  if (typeof site !== 'number' || !Number.isSafeInteger(site) || site < 0 || transaction === undefined) return undefined
  return `${site}-${transaction}`
}

function readSale(row: Fields, reading: SalesReading, productOf: ProductFinder): LedgerRecord {
  const { machineId, currency, products } = reading
  checkMachine(row, machineId)
  const orderNo = orderNoOf(row)
  if (orderNo === undefined) throw new UnreadableReply('SiteID or TransactionID is not an id', 'TransactionID')
  checkCurrency(row, currency)
  const total = nullableAmount(row, 'SettlementValue', currency.digits)
  if (total === null) throw new UnreadableReply('SettlementValue is missing', 'SettlementValue')
  const units = readUnits(row, total, currency.digits)
  const isSettled = total > 0
  const time = row['AuthorizationDateTimeGMT']
  return omitUndefined({
    orderNo,
    // The platform has no status of a sale: an amount is settled or it is not (a test, a cancelled or a free vend).
    status: isSettled ? 'SETTLED' : 'UNSETTLED',
    statusLabel: optionalText(row, 'PaymentMethod'),
    settled: isSettled,
    locationId: machineId,
    locationName: optionalText(row, 'MachineName'),
    totalFen: fen(total),
    createdAt: readUtc(time),
    createdAtRaw: typeof time === 'string' ? time : '',
    lines: units.map(({ name, mdbCode, paCode, priceFen }): LedgerLine => {
      const productId = productOf(mdbCode, paCode, name)
      const cost = productId === undefined ? null : (products.get(productId)?.costFen ?? null)
      return {
        // With the machine: the same code is another product in each, and aliases are per product code.
        vendorSku: productId ?? (mdbCode === undefined ? 'unmapped' : `mdb-${machineId}-${mdbCode}`),
        priceFen,
        // The platform fills an unknown cost with the price.
        costFen: cost === priceFen ? null : cost,
        status: isSettled ? 'paid' : 'unpaid',
      }
    }),
  })
}

/** Amounts are never converted. A sale without a currency is in the machine's. */
function checkCurrency(row: Fields, currency: Currency): void {
  const code = nullableText(row, 'CurrencyCode')?.toUpperCase() ?? currency.code
  if (!/^[A-Z]{3}$/.test(code)) throw new UnreadableReply('CurrencyCode is not an ISO 4217 code', 'CurrencyCode')
  if (code !== currency.code)
    throw new UnusableRow(`it is in ${code}, not in ${currency.code}`, `CurrencyCode is ${code}`)
}

/**
 * The printed prices count when they add up to what was settled. Otherwise that is split over the units, in proportion to
 * the prices where there are some (a discount) and evenly where there are none (no price in the product map).
 */
function readUnits(row: Fields, total: number, digits: number) {
  const lines = (nullableText(row, 'ProductName') ?? '').split(/\r\n|\n|\r/).flatMap(parseProductLine)
  const count = lines.length || countUnits(row)
  if (count > MOST_UNITS) throw new UnreadableReply(`more than ${MOST_UNITS} units`, 'Quantity')
  const printed = lines.flatMap(({ price }) => minorOfPlain(price, digits) ?? []).filter((price) => price >= 0)
  const sum = printed.reduce((all, price) => all + price, 0)
  const isPriced = lines.length > 0 && printed.length === lines.length
  const weights = isPriced && sum > 0 ? printed : Array.from({ length: count }, () => 1)
  const prices = isPriced && (sum === total || total === 0) ? printed : splitAmount(total, weights)
  return prices.map((price, i) => ({
    name: lines[i]?.name,
    mdbCode: lines[i]?.mdbCode,
    paCode: lines[i]?.paCode,
    priceFen: fen(price),
  }))
}

/** Both counts are 0 on cash sales. A quantity that is not whole is measured, as of a liquid: one sale. */
function countUnits(row: Fields): number {
  const multivend = nullableWhole(row, 'MultivendNumverOfProducts', 0)
  if (multivend) return multivend
  const quantity = row['Quantity'] ?? 0
  if (typeof quantity !== 'number' || !Number.isFinite(quantity) || quantity < 0)
    throw new UnreadableReply('Quantity is not a number of at least 0', 'Quantity')
  return Number.isInteger(quantity) ? Math.max(quantity, 1) : 1
}

/** In proportion to the weights. Odd minor units go to the last ones, so that the parts add up. */
function splitAmount(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0)
  const parts = weights.map((weight) => Math.floor((total * weight) / sum))
  const odd = total - parts.reduce((all, part) => all + part, 0)
  return parts.map((part, i) => (i < parts.length - odd ? part : part + 1))
}

const CODES_AND_PRICE = /^\s*(\d{0,18})\s*(?:,([^=]*))?=\s*(\S+)\s*$/

/** The name may hold parentheses of its own; the codes stand in the last ones. */
export function parseProductLine(line: string) {
  const text = line.trimEnd()
  const open = text.lastIndexOf('(')
  if (open < 0 || !text.endsWith(')')) return []
  const [match, mdb = '', pa = '', price = ''] = CODES_AND_PRICE.exec(text.slice(open + 1, -1)) ?? []
  const paCode = pa.trim() || undefined
  if (match === undefined || (mdb === '' && paCode === undefined)) return []
  return [{ name: text.slice(0, open).trim(), mdbCode: mdb.replace(/^0+(?=\d)/, '') || undefined, paCode, price }]
}

type ProductFinder = ReturnType<typeof productFinder>

/**
 * The product of the lane with that MDB code. The PA code decides where several products share it or it is missing.
 * A sale keeps the name it was sold under, so a name that is another product's tells that the lane was changed since.
 */
function productFinder(lanes: readonly LynxLane[], products: SalesReading['products']) {
  const byMdb = Map.groupBy(lanes, ({ mdbCode }) => mdbCode)
  const byName = Map.groupBy(products.values(), (product) => product.name ?? '')
  return (mdbCode: string | undefined, paCode: string | undefined, name = ''): string | undefined => {
    const inLane = productInLane(mdbCode, paCode)
    const [named, ...more] = name === '' ? [] : (byName.get(name) ?? [])
    const isKnown = inLane !== undefined && (products.get(inLane)?.name ?? '') !== ''
    return named && more.length === 0 && isKnown ? named.id : inLane
  }

  function productInLane(mdbCode: string | undefined, paCode: string | undefined): string | undefined {
    const found = mdbCode === undefined ? lanes : (byMdb.get(mdbCode) ?? [])
    const all = mdbCode === undefined ? undefined : onlyProduct(found)
    return all ?? onlyProduct(found.filter((lane) => paCode !== undefined && lane.paCode === paCode))
  }
}

function onlyProduct(lanes: readonly LynxLane[]): string | undefined {
  const ids = new Set(lanes.flatMap(({ productId }) => productId ?? []))
  const [id] = ids
  return ids.size === 1 ? id : undefined
}

/** As the platform writes it. */
const CASH = 'cash'

/**
 * The sales that were paid in cash, of those that are shown. Whether one without a payment method was, is not known.
 * Undefined where a sale has no time: it may belong anywhere.
 */
export function cashOf({ records, completeFrom }: LastSales, readAt: number): MachineCash | undefined {
  const isOther = ({ statusLabel }: LedgerRecord) =>
    statusLabel !== undefined && statusLabel.trim().toLowerCase() !== CASH
  const counted = records.filter((record) => record.settled && !isOther(record))
  const taken = counted.flatMap(({ createdAt, statusLabel, totalFen }) =>
    createdAt === null ? [] : [{ at: createdAt, amountFen: statusLabel === undefined ? null : totalFen }],
  )
  const oldest = Math.min(readAt, ...records.flatMap(({ createdAt }) => createdAt ?? []))
  return taken.length < counted.length ? undefined : { fromMs: completeFrom ?? oldest, untilMs: readAt, taken }
}

/** A full list begins with the oldest sale it shows; a shorter one shows all there were. */
function completeFrom(records: readonly LedgerRecord[], count: number): number | undefined {
  if (count < FULL_LIST) return undefined
  const times = records.flatMap(({ createdAt }) => createdAt ?? [])
  if (times.length === 0) throw new UnreadableReply('no sale has a readable time', 'AuthorizationDateTimeGMT')
  return Math.min(...times)
}
