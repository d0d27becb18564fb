/** The sentences of events and messages about orders. */
import { refuse } from '../../kernel/outcome.ts'
import type { SupplyOrderStatus } from '../../vendors/contract.ts'
import type { Purchase } from './purchase-records.ts'

const STATES = { ordered: 'on order', arrived: 'delivered', cancelled: 'cancelled' } as const

export const purchaseStateChanged = (
  { id, label, vendor }: Purchase,
  { state, description }: Pick<SupplyOrderStatus, 'state' | 'description'>,
) => ({
  kind: 'order' as const,
  code: `purchase_${state}`,
  params: { purchase: id, label, supplier: vendor, description },
  summary: `Purchase ${id} (${label}) is ${STATES[state]}`,
  reasoning: `${vendor} reports: ${description}`,
})

export const orderNotFound = (id: string, unreadSalesBefore: string | undefined) =>
  refuse(
    'not_found',
    `Order "${id}" not found${unreadSalesBefore === undefined ? '' : `. Sales before ${unreadSalesBefore} are still being read.`}`,
  )
