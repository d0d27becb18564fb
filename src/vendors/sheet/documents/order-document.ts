/**
 * A purchase order as a document, whatever its format. An order is checked before it is written: a document that states
 * sums its lines do not have, or a code its format cannot hold, is not written at all.
 */
import { isPoNumber } from '../../../kernel/ids.ts'
import { minorOfNumber } from '../../../kernel/minor-units.ts'
import type { SupplyAddress, SupplyOrderLine } from '../../supply-vendor.ts'
import { isUsableSku } from '../price-list/listed-products.ts'

export interface OrderLine extends Omit<SupplyOrderLine, 'unitPriceFen'> {
  readonly lineNumber: number
  /** Minor units for one `unit`. */
  readonly unitPrice: number
}

export interface Buyer {
  readonly name: string
  /** Our customer number at the supplier. */
  readonly account: string
  readonly vatId?: string
  readonly gln?: string
  readonly address: SupplyAddress
}

export interface Order {
  readonly ref: string
  readonly currency: string
  /** Digits of the currency. */
  readonly digits: number
  readonly lines: readonly OrderLine[]
  /** Minor units. `net` is the sum of the lines, `total` that and the tax. */
  readonly totals: { readonly net: number; readonly tax: number; readonly total: number }
  readonly buyer: Buyer
  readonly destination: SupplyAddress
  /** When the order was given, epoch milliseconds. */
  readonly requestedAt: number
  /** For people at the supplier, such as where and when the goods are picked up. */
  readonly note?: string
  /** Where its date is read; UTC when absent. */
  readonly timeZone?: string
}

export type WrittenOrder =
  | { readonly ok: true; readonly document: string }
  | { readonly ok: false; readonly problem: string }

const QUANTITY_MAX = 1_000_000

/** Why no document can be created from this order; undefined when one can. */
export function findProblem({ ref, currency, digits, lines, totals, buyer }: Order): string | undefined {
  if (!isPoNumber(ref)) return 'the reference cannot be an order number'
  if (!/^[A-Z]{3}$/.test(currency) || !isWhole(digits, 0, 4)) return 'the currency is not one of ISO 4217'
  if (lines.length === 0) return 'the order has no lines'
  if (new Set(lines.map(({ lineNumber }) => lineNumber)).size !== lines.length) return 'two lines have the same number'
  for (const line of lines) {
    const { lineNumber, quantity, contains, unitPrice, vendorSku } = line
    if (!isWhole(lineNumber, 1, 99_999)) return 'a line number is not a whole number'
    if (!isUsableSku(vendorSku) || /\p{C}/u.test(vendorSku)) return `line ${lineNumber} has an unusable SKU`
    if (!isWhole(quantity, 1, QUANTITY_MAX)) return `line ${lineNumber} has no usable quantity`
    if (!isWhole(contains, 1, QUANTITY_MAX)) return `line ${lineNumber} has no usable pack size`
    if (!isWhole(unitPrice, 0, Number.MAX_SAFE_INTEGER / QUANTITY_MAX)) return `line ${lineNumber} has no usable price`
  }
  if (buyer.name.trim() === '') return 'the buyer has no name'
  const net = lines.reduce((sum, line) => sum + lineTotal(line), 0)
  const { tax, total } = totals
  if (!Number.isSafeInteger(net) || !Number.isSafeInteger(tax) || tax < 0 || net !== totals.net || net + tax !== total)
    return 'the totals are not those of the lines'
  return undefined
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most

export const lineTotal = ({ quantity, unitPrice }: OrderLine): number => quantity * unitPrice

/** Digits of a tax rate in percent: 8.875 is real. */
export const RATE_DIGITS = 4
/** Amounts of a Peppol order have at most two digits after the point; only unit prices may have more. */
export const UBL_DIGITS_MAX = 2

export interface Pricing {
  readonly prices: 'net' | 'gross'
  /** Percent. */
  readonly taxRate: number
  /** Of articles whose row of the list states another one. */
  readonly rateOf?: (vendorSku: string) => number | undefined
}

/**
 * What an order costs. Tax is rounded once per order, half a minor unit up; prices that include it add nothing. Undefined
 * when the rate is no percentage with at most four digits.
 */
export function totalsOf(
  lines: readonly OrderLine[],
  { prices, taxRate, rateOf }: Pricing,
): Order['totals'] | undefined {
  const net = lines.reduce((sum, line) => sum + lineTotal(line), 0)
  if (!Number.isSafeInteger(net)) return undefined
  let taxed = 0n
  for (const line of lines) {
    const rate = minorOfNumber(rateOf?.(line.vendorSku) ?? taxRate, RATE_DIGITS)
    if (rate === undefined || rate < 0) return undefined
    taxed += BigInt(lineTotal(line)) * BigInt(rate)
  }
  const whole = 100n * 10n ** BigInt(RATE_DIGITS)
  const tax = prices === 'gross' ? 0 : Number((taxed * 2n + whole) / (whole * 2n))
  return { net, tax, total: net + tax }
}

/** One line of text, never empty: formats require it. */
export const lineTitle = ({ title, vendorSku }: OrderLine): string => singleLine(title) || vendorSku

/** The note as one line; undefined where there is none. */
export const orderNote = ({ note }: Order): string | undefined => singleLine(note ?? '') || undefined

const singleLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\uFFFE\uFFFF]+/gu, ' ').trim()

/** The moment of the order on the buyer's clock. */
export const orderTime = ({ requestedAt, timeZone }: Order): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(requestedAt).toZonedDateTimeISO(timeZone ?? 'UTC')

export const contactName = ({ first_name, last_name }: SupplyAddress): string =>
  [first_name, last_name]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(' ')

/** ISO 3166 letters, where the address has them and not a name. */
export function countryCode({ address_country }: SupplyAddress): string | undefined {
  const code = address_country?.trim().toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(code) ? code : undefined
}
