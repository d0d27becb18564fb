/** The sentences of events and messages about orders. */
import type { OwnEvent } from '../../record/events/index.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import { error, warning } from '../../kernel/message.ts'
import { refuseAll } from '../../kernel/outcome.ts'
import type { SupplyOrderStatus } from '../../vendors/supply-vendor.ts'
import { count } from '../../kernel/text.ts'
import type { Purchase } from './purchase-record.ts'
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

export const orderNotFound = (id: string, unreadSalesBefore: string | undefined) =>
  refuseAll([
    error(
      'not_found',
      `Order "${id}" not found${unreadSalesBefore === undefined ? '' : `. Sales before ${unreadSalesBefore} are still being read.`}`,
      undefined,
      unreadSalesBefore === undefined ? { order: id } : undefined,
    ),
  ])
