/** An invoice of a supplier about one of our orders, whatever its format. What is not understood for certain is refused whole. */
import { isPoNumber } from '../../../kernel/ids.ts'
import { minorOf } from '../../../kernel/minor-units.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import { firstCharacters, sanitizeText } from '../../upstream/sanitize-text.ts'
import type { OrderUnit } from '../documents/units.ts'

/** Prices may have more digits than the currency, such as 0.5208 for one of 24. */
const PRICE_DIGITS = 4
export const PRICE_SCALE = 10 ** PRICE_DIGITS

export interface InvoiceLine {
  readonly lineNumber?: number
  readonly vendorSku?: string
  readonly title?: string
  readonly quantity: number
  /** Absent: that of the order. */
  readonly unit?: OrderUnit
  /** Ten-thousandths of a minor unit, for one `unit`. */
  readonly price: number
}

/** Amounts are minor units. */
export interface Invoice {
  /** Our order number, as the supplier repeats it. */
  readonly ref: string
  readonly number: string
  readonly lines: readonly InvoiceLine[]
  /** Charges less allowances. */
  readonly charges: number
  readonly tax: number
  readonly total: number
}

export type ReadInvoices =
  | { readonly ok: true; readonly invoices: readonly Invoice[] }
  | { readonly ok: false; readonly problem: string }

const TEXT_MAX = 100
const bound = (text: string): string => firstCharacters(sanitizeText(text), TEXT_MAX)

/** Only what the document says refuses it; an error of ours stays an error. */
export function readInvoices(read: () => readonly Invoice[]): ReadInvoices {
  try {
    return { ok: true, invoices: read().map(checkInvoice) }
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return { ok: false, problem: error.message }
  }
}

/** A line whose amount is not whole is rounded somewhere, so the sum may be off by one minor unit for each of these. */
function checkInvoice(invoice: Invoice): Invoice {
  const { ref, number, lines, charges, tax, total } = invoice
  if (!isPoNumber(ref)) throw new UnreadableReply('it names an order number that is not ours')
  if (lines.length === 0) throw new UnreadableReply('it has no lines')
  if (lines.some(({ lineNumber, vendorSku }) => lineNumber === undefined && vendorSku === undefined))
    throw new UnreadableReply('a line names no product and no line of ours')
  const rounded = lines.filter(({ quantity, price }) => (quantity * price) % PRICE_SCALE !== 0).length
  const sum = lines.reduce((all, line) => all + lineAmount(line), charges + tax)
  if (!Number.isSafeInteger(sum) || Math.abs(sum - total) > rounded)
    throw new UnreadableReply('its total is not that of its lines, charges and taxes')
  return {
    ...invoice,
    number: bound(number),
    lines: lines.map(({ title, ...line }) => ({ ...line, ...(title !== undefined && { title: bound(title) }) })),
  }
}

export const lineAmount = ({ quantity, price }: Pick<InvoiceLine, 'quantity' | 'price'>): number =>
  Math.round((quantity * price) / PRICE_SCALE)

export function readPrice(text: string, digits: number): number {
  const price = minorOf(text.trim(), digits + PRICE_DIGITS, '.')
  if (price === undefined || price < 0) throw new UnreadableReply('a price cannot be read')
  return price
}

export function readAmount(text: string, digits: number): number {
  const amount = minorOf(text.trim(), digits, '.')
  if (amount === undefined) throw new UnreadableReply('an amount cannot be read')
  return amount
}
