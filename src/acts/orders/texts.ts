/** The sentences of events and messages about orders. */
import type { OwnEvent } from '../../record/events/index.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import { type NoteMessage, error, warning } from '../../kernel/message.ts'
import { refuseAll } from '../../kernel/outcome.ts'
import type { SupplyOrderStatus } from '../../vendors/supply-vendor.ts'
import { count } from '../../kernel/text.ts'
import type { InvoiceDifference, Purchase } from './purchase-record.ts'
import type { Shortage } from './short-lines.ts'

const STATES = { ordered: 'on order', arrived: 'delivered', cancelled: 'cancelled' } as const

export const purchaseStateChanged = (
  { id, label, vendor }: Purchase,
  { state, description }: Pick<SupplyOrderStatus, 'state' | 'description'>,
): OwnEvent => ({
  kind: 'order',
  code: `purchase_${state}`,
  params: { purchase: id, label, supplier: vendor, description },
  summary: `Purchase ${id} (${label}) is ${STATES[state]}`,
  reasoning: `${vendor} reports: ${description}`,
})

const SHORTAGES_NAMED = 5

/** A supplier delivers less than was ordered. */
export const purchaseShort = ({ id, label, vendor }: Purchase, short: readonly Shortage[]): OwnEvent => ({
  kind: 'order',
  code: 'purchase_short',
  params: { purchase: id, label, supplier: vendor, lines: short.length, product: short[0]?.title ?? '' },
  summary: `Purchase ${id} (${label}): ${count(short.length, 'line')} will not be delivered in full`,
  reasoning: short
    .slice(0, SHORTAGES_NAMED)
    .map(({ title, quantity, ordered }) => `${title}: ${quantity} of ${ordered} will not come`)
    .join('; '),
})

/** What a supplier asks for an order, and what was agreed. */
export interface Charge {
  readonly order: string
  readonly chargedFen: Fen
  readonly agreedFen: Fen
  readonly currency: CurrencyCode
}

const chargeParams = ({ order, chargedFen, agreedFen, currency }: Charge) => ({
  order,
  charged: money(chargedFen, currency),
  agreed: money(agreedFen, currency),
})

const aboveAgreedText = ({ order, chargedFen, agreedFen, currency }: Charge): string =>
  `The supplier charges ${formatAmount(chargedFen, currency)} for order ${order}, but ${formatAmount(agreedFen, currency)} was agreed. Settle the difference with the supplier`

export const aboveAgreedWarning = (charge: Charge) =>
  warning('above_agreed', aboveAgreedText(charge), '$.totals', chargeParams(charge))

/** Of the kind of the session: it is about what was approved there. */
export const purchaseAboveAgreed = (id: string, charge: Charge): OwnEvent => ({
  kind: 'checkout',
  code: 'purchase_above_agreed',
  params: { checkout: id, ...chargeParams(charge) },
  summary: `${id} costs more than agreed: order ${charge.order}, ${formatAmount(charge.chargedFen, charge.currency)} instead of ${formatAmount(charge.agreedFen, charge.currency)}`,
  reasoning: `${aboveAgreedText(charge)}.`,
})

const DIFFERENCES_NAMED = 5

const plain = (count: number): number => Math.round(count * 100) / 100

/** What a difference is about; amounts with their currency. */
function differenceParams(
  { kind, invoice, title, invoiced, expected, amount }: InvoiceDifference,
  currency: CurrencyCode,
) {
  const isMoney = kind === 'price' || kind === 'charge' || kind === 'total'
  const value = (of: number) => (isMoney ? money(fen(of), currency) : plain(of))
  return {
    invoice,
    difference: money(fen(amount), currency),
    ...(title !== undefined && { product: title }),
    ...(kind === 'not_ordered' ? {} : { invoiced: value(invoiced), expected: value(expected) }),
  }
}

function differenceText(
  { kind, invoice, title = '', invoiced, expected, amount }: InvoiceDifference,
  currency: CurrencyCode,
): string {
  const by = formatAmount(fen(amount), currency)
  const shown = (of: number) => formatAmount(fen(of), currency)
  if (kind === 'quantity')
    return `Invoice ${invoice}: ${plain(invoiced)} of ${title} invoiced, ${plain(expected)} expected (${by})`
  if (kind === 'price') return `Invoice ${invoice}: ${title} at ${shown(invoiced)}, ${shown(expected)} agreed (${by})`
  if (kind === 'not_ordered') return `Invoice ${invoice}: ${title} was not ordered (${by})`
  const what = kind === 'charge' ? 'charges of' : 'a total of'
  return `Invoice ${invoice}: ${what} ${shown(invoiced)}, ${shown(expected)} expected (${by})`
}

export const invoiceWarnings = ({ lines, supplierStatus }: Purchase, currency: CurrencyCode): readonly NoteMessage[] =>
  (supplierStatus?.invoiceDifferences ?? []).map((difference) => {
    const index = lines.findIndex(({ id }) => id === difference.line)
    const path = index === -1 ? '$.totals' : `$.line_items[${index}]`
    return warning(
      'invoice_differs',
      differenceText(difference, currency),
      path,
      differenceParams(difference, currency),
    )
  })

/** A supplier invoices something else than was ordered or received. */
export const invoiceDiffers = (
  { id, label, vendor }: Purchase,
  differences: readonly InvoiceDifference[],
  currency: CurrencyCode,
): OwnEvent => {
  const difference = fen(differences.reduce((sum, { amount }) => sum + amount, 0))
  return {
    kind: 'order',
    code: 'invoice_differs',
    params: {
      purchase: id,
      label,
      supplier: vendor,
      lines: differences.length,
      difference: money(difference, currency),
    },
    summary: `Purchase ${id} (${label}): the invoice differs by ${formatAmount(difference, currency)}`,
    reasoning: differences
      .slice(0, DIFFERENCES_NAMED)
      .map((each) => differenceText(each, currency))
      .join('; '),
  }
}

export const orderNotFound = (id: string, unreadSalesBefore: string | undefined) =>
  refuseAll([
    error(
      'not_found',
      `Order "${id}" not found${unreadSalesBefore === undefined ? '' : `. Sales before ${unreadSalesBefore} are still being read.`}`,
      undefined,
      unreadSalesBefore === undefined ? { order: id } : undefined,
    ),
  ])
