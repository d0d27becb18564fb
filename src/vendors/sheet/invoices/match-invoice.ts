/** Holds an invoice against the lines of its order: each line in the unit that was ordered. */
import { fen } from '../../../kernel/fen.ts'
import type { SupplyInvoice, SupplyInvoiceLine } from '../../supply-vendor.ts'
import type { OrderLine } from '../documents/order-document.ts'
import { findLine } from '../inbox/match-reply.ts'
import { type Invoice, type InvoiceLine, PRICE_SCALE } from './invoice.ts'

type MatchedInvoice =
  | { readonly ok: true; readonly invoice: SupplyInvoice }
  | { readonly ok: false; readonly problem: string }

export function matchInvoice(ordered: readonly OrderLine[], invoice: Invoice): MatchedInvoice {
  const { number, total, charges, tax } = invoice
  const lines: SupplyInvoiceLine[] = []
  for (const stated of invoice.lines) {
    const match = findLine(ordered, stated)
    const line = match ? asOrdered(stated, match) : notOrdered(stated)
    if (!line) return { ok: false, problem: `line ${match?.lineNumber} of invoice ${number} is in another unit` }
    lines.push(line)
  }
  return {
    ok: true,
    invoice: { number, totalFen: fen(total), chargesFen: fen(charges), taxFen: fen(tax), lines },
  }
}

/** Many suppliers invoice cases as single items. Undefined: it is no whole number of packs. */
function asOrdered({ quantity, unit, price }: InvoiceLine, line: OrderLine): SupplyInvoiceLine | undefined {
  const { vendorSku, contains, unitPrice } = line
  const isEach = unit !== undefined && unit !== line.unit
  if (isEach && (unit !== 'each' || quantity % contains !== 0)) return undefined
  const own = isEach ? price * contains : price
  // The price of one is rounded: a case of 24 at 12.50 is 0.52 each.
  const isAgreed = isEach && Math.round(unitPrice / contains) === Math.round(price / PRICE_SCALE)
  return {
    vendorSku,
    contains,
    quantity: isEach ? quantity / contains : quantity,
    unitPriceFen: fen(isAgreed ? unitPrice : Math.round(own / PRICE_SCALE)),
  }
}

const notOrdered = ({ vendorSku, title, lineNumber, quantity, price }: InvoiceLine): SupplyInvoiceLine => ({
  unordered: title ?? vendorSku ?? (lineNumber === undefined ? '?' : `line ${lineNumber}`),
  contains: 1,
  quantity,
  unitPriceFen: fen(Math.round(price / PRICE_SCALE)),
})
