/** The sentences of events and messages about orders. */
import type { ServiceEvent } from '../events/index.ts'
import { refuse } from '../../kernel/outcome.ts'
import type { SupplyOrderStatus } from '../../vendors/contract.ts'
import { count } from '../../kernel/text.ts'
import type { Purchase } from './purchase-records.ts'
import type { Shortage } from './short-lines.ts'

const STATES = { ordered: 'on order', arrived: 'delivered', cancelled: 'cancelled' } as const

export const purchaseStateChanged = (
  { id, label, vendor }: Purchase,
  { state, description }: Pick<SupplyOrderStatus, 'state' | 'description'>,
): ServiceEvent => ({
  kind: 'order',
  code: `purchase_${state}`,
  params: { purchase: id, label, supplier: vendor, description },
  summary: `Purchase ${id} (${label}) is ${STATES[state]}`,
  reasoning: `${vendor} reports: ${description}`,
})

const SHORTAGES_NAMED = 5

/** A supplier delivers less than was ordered. */
export const purchaseShort = ({ id, label, vendor }: Purchase, short: readonly Shortage[]): ServiceEvent => ({
  kind: 'order',
  code: 'purchase_short',
  params: { purchase: id, label, supplier: vendor, lines: short.length, product: short[0]?.title ?? '' },
  summary: `Purchase ${id} (${label}): ${count(short.length, 'line')} will not be delivered in full`,
  reasoning: short
    .slice(0, SHORTAGES_NAMED)
    .map(({ title, quantity, ordered }) => `${title}: ${quantity} of ${ordered} will not come`)
    .join('; '),
})

export const orderNotFound = (id: string, unreadSalesBefore: string | undefined) =>
  refuse(
    'not_found',
    `Order "${id}" not found${unreadSalesBefore === undefined ? '' : `. Sales before ${unreadSalesBefore} are still being read.`}`,
  )
