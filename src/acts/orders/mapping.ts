/** docs/contract.md, 3.4, as two tables: from a supplier's state, and from a ledger line's status, to a line of an order. */
import type { Adjustment, OrderLineItem } from '../../contract/shapes/order.ts'
import type { LedgerLineStatus } from '../../vendors/machine-vendor.ts'
import type { SupplyState } from '../../vendors/supply-vendor.ts'

interface Row {
  readonly line: OrderLineItem['status']
  /** Per unit. */
  readonly total: 0 | 1
  readonly fulfilled: 0 | 1
  readonly adjusted?: readonly [type: 'refund' | 'cancellation', status: Adjustment['status']]
}

interface PurchaseRow extends Row {
  /** The fulfillment event that is added when the state is first reported. */
  readonly event: 'processing' | 'delivered' | 'canceled'
}

export const PURCHASE_MAPPING = {
  ordered: { line: 'processing', total: 1, fulfilled: 0, event: 'processing' },
  arrived: { line: 'fulfilled', total: 1, fulfilled: 1, event: 'delivered' },
  cancelled: { line: 'removed', total: 0, fulfilled: 0, event: 'canceled', adjusted: ['cancellation', 'completed'] },
} as const satisfies Record<SupplyState, PurchaseRow>

export interface SaleRow extends Row {
  /** The adjustment returns money. */
  readonly isRepaid?: true
}

export const SALE_MAPPING: Readonly<Record<LedgerLineStatus, SaleRow>> = {
  paid: { line: 'fulfilled', total: 1, fulfilled: 1 },
  unpaid: { line: 'processing', total: 1, fulfilled: 0 },
  refunded: { line: 'removed', total: 0, fulfilled: 0, adjusted: ['refund', 'completed'], isRepaid: true },
  refund_failed: { line: 'fulfilled', total: 1, fulfilled: 1, adjusted: ['refund', 'failed'] },
  cancelled: { line: 'removed', total: 0, fulfilled: 0, adjusted: ['cancellation', 'completed'] },
}
