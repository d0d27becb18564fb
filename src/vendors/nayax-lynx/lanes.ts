/**
 * A machine's product map: each row is a lane with a product, prices and what is missing in it. The platform counts what
 * is missing, not what is there, so stock is capacity (PAR) less that.
 */
import { HOUR } from '../../kernel/clock.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import { type LaneSlot, newestKnown, sumKnown } from '../lanes.ts'
import { type Fields, optionalText } from '../upstream/read-json.ts'
import type { OperatorProduct } from './products.ts'
import {
  type Currency,
  checkMachine,
  idIn,
  nullableAmount,
  nullableId,
  nullableText,
  nullableWhole,
  readListing,
} from './reply.ts'
import { readUtc } from './utc-time.ts'

/** The price of a lane depends on how it is paid; a connection says which of them is the price for us. */
export const PRICE_FIELDS = ['MachinePrice', 'CashPrice', 'CreditCardPrice', 'PrePaidCardPrice'] as const
export type PriceField = (typeof PRICE_FIELDS)[number]

export type LynxLane = Readonly<ReturnType<typeof readLane>>
export type ProductMap = ReturnType<typeof toProductMap>

export interface LaneReading {
  readonly machineId: string
  readonly priceField: PriceField
  readonly currency: Currency
  readonly nowMs: number
}

const WORDS = {
  NayaxProductID: 'product code',
  MachineProductID: 'lane id',
  MachineID: 'machine',
  MDBCode: 'lane',
  PACode: 'lane',
  PAR: 'capacity',
  MissingStockByMDB: 'stock',
  MissingStockByDEX: 'stock',
  MachinePrice: 'price',
  CashPrice: 'price',
  CreditCardPrice: 'price',
  PrePaidCardPrice: 'price',
}

/** Unreadable rows are named by the code of their product, as slots are. */
export const readProductMap = (json: unknown, reading: LaneReading): Result<ProductMap> =>
  readListing(
    json,
    { kind: 'slot', id: idIn('NayaxProductID'), fieldNames: WORDS, read: (row) => readLane(row, reading) },
    toProductMap,
  )

function toProductMap(rows: readonly LynxLane[]) {
  const seen = new Set<LynxLane['machineProductId']>()
  const lanes = rows.filter(({ machineProductId: id }) => id === null || (!seen.has(id) && seen.add(id)))
  const repeated = rows.length - lanes.length
  const empty = lanes.filter(({ productId }) => productId === null).length
  /** Rows left out that are not wrong, for the log. */
  const notices = [
    ...(repeated > 0 ? [`${repeated} lanes were listed twice; the first entry counts`] : []),
    ...(empty > 0 ? [`${empty} lanes without a product were left out`] : []),
  ]
  return { lanes, notices }
}

function readLane(row: Fields, { machineId, priceField, currency, nowMs }: LaneReading) {
  checkMachine(row, machineId)
  const mdb = nullableWhole(row, 'MDBCode', 0, Number.MAX_SAFE_INTEGER)
  const mdbCode = mdb === null ? null : String(mdb)
  const paCode = nullableText(row, 'PACode')
  const machineProductId = nullableId(row, 'MachineProductID')
  const codes = [...new Set([mdbCode, paCode].filter((code) => code !== null))]
  const price = nullableAmount(row, priceField, currency.digits)
  // A PAR of 0 was never set: a lane that holds nothing sells nothing.
  const capacity = nullableWhole(row, 'PAR', 0) || null
  const missing = newestMissing(row, nowMs)
  return {
    machineProductId,
    productId: nullableId(row, 'NayaxProductID'),
    mdbCode,
    paCode,
    /** For people: `12/A3`. */
    code: codes.join('/') || (optionalText(row, 'OperatorButtonCode') ?? machineProductId ?? '?'),
    name: optionalText(row, 'DEXProductName') ?? null,
    priceFen: price === null ? null : fen(price),
    capacity,
    stock: capacity === null || missing === null ? null : Math.min(Math.max(capacity - missing.count, 0), capacity),
    stockAt: capacity === null || missing === null ? null : missing.at,
    /** The row as read: a change of its price sends everything else back unchanged. */
    entity: row,
  }
}

/** Machine clocks were seen years ahead; a count dated further ahead than time zones reach has no date. */
const LATEST_AHEAD_MS = 25 * HOUR

/**
 * Two sources count what is missing: MDB with every sale, DEX with every audit. The newer one counts. DEX is often 0 with
 * no date because it is not read, so without dates MDB counts.
 */
function newestMissing(row: Fields, nowMs: number): { readonly count: number; readonly at: number | null } | null {
  const read = (count: string, date: string) => {
    const missing = nullableWhole(row, count)
    const at = readUtc(row[date])
    return missing === null ? null : { count: missing, at: at !== null && at > nowMs + LATEST_AHEAD_MS ? null : at }
  }
  const mdb = read('MissingStockByMDB', 'MDBMissingStockLastUpdated')
  const dex = read('MissingStockByDEX', 'DEXMissingStockLastUpdated')
  if (!mdb || !dex) return mdb ?? dex
  return (dex.at ?? 0) > (mdb.at ?? 0) ? dex : mdb
}

/**
 * One slot per product. A product with an unreadable lane is left out: its other lanes are not its whole stock. One
 * without a price in any lane is unreadable; a price of another field would be a guess.
 */
export function slotsOf(
  lanes: readonly LynxLane[],
  unreadableLanes: readonly UnreadableRow[],
  products: ReadonlyMap<string, OperatorProduct>,
): { readonly slots: readonly LaneSlot[]; readonly unreadable: readonly UnreadableRow[] } {
  const unreadableProducts = new Set(unreadableLanes.map(({ id }) => id))
  const slots: LaneSlot[] = []
  const unreadable: UnreadableRow[] = []
  for (const [id, own] of Map.groupBy(lanes, ({ productId }) => productId)) {
    if (id === null || unreadableProducts.has(id)) continue
    const priceFen = own.find((lane) => lane.priceFen !== null)?.priceFen ?? null
    if (priceFen === null)
      unreadable.push({ kind: 'slot', id, problem: 'its price is not set', detail: 'no lane has the configured price' })
    else slots.push(toSlot(id, own, priceFen, products.get(id)))
  }
  return { slots, unreadable }
}

const toSlot = (
  vendorSku: string,
  lanes: readonly LynxLane[],
  priceFen: Fen,
  product: OperatorProduct | undefined,
): LaneSlot => ({
  vendorSku,
  title: product?.name ?? lanes.find(({ name }) => name !== null)?.name ?? `Product ${vendorSku}`,
  ...(product?.barcode && { barcode: product.barcode }),
  ...(product?.imageUrl && { imageUrl: product.imageUrl }),
  priceFen,
  stock: sumKnown(lanes.map(({ stock }) => stock)),
  capacity: sumKnown(lanes.map(({ capacity }) => capacity)),
  asOf: newestKnown(lanes.map(({ stockAt }) => stockAt)),
  lanes: lanes.map(({ code, priceFen: price, stock, capacity, stockAt }) => ({
    code,
    priceFen: price,
    stock,
    capacity,
    ...(stockAt === null || lanes.length === 1 ? {} : { asOf: stockAt }),
  })),
})
