/** What the memory of a connection knows about an order at a merchant. */
import type { SupplyLine } from '../supply-vendor.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import { PLACED } from '../order-journal.ts'
import { type StoredOrder, versionedOrders } from '../versioned-orders.ts'

/**
 * - `preparing`   a session is being opened; the request that buys has not been sent
 * - `completing`  from now on that request may have been sent
 * - `refused`     it was sent, and the merchant declined it
 * - `handed_off`  a person goes on at the merchant
 * - `placed`      the merchant has the order
 * - `closed`      the request that buys was certainly not sent, and never will be for this attempt
 */
export type PlacingState = 'preparing' | 'completing' | 'refused' | 'handed_off' | 'placed' | 'closed'

export interface OrderRecord {
  readonly state: PlacingState
  readonly ref: string
  /** Counts from 1: the idempotency keys depend on it. */
  readonly attempt: number
  /** The process that makes the attempt. */
  readonly sender: string
  /** Epoch milliseconds: of the attempt and, from `completing` on, of the request that buys. */
  readonly startedAt: number
  readonly lines: readonly RecordLine[]
  /** From `completing` on. */
  readonly sessionId?: string
  readonly orderId?: string
  readonly totalFen?: number
}

export interface RecordLine extends Pick<SupplyLine, 'vendorSku' | 'quantity'> {
  readonly itemId: string
  /** Absent: pieces. */
  readonly unit?: string
}

export type StoredRecord = StoredOrder<OrderRecord>
export type OrderMemory = ReturnType<typeof orderMemory>

/** Preparing counts: the idempotency keys of an attempt must not be used for another one. */
const STEPS = {
  preparing: 1,
  completing: 2,
  refused: 3,
  handed_off: 3,
  closed: 3,
  placed: PLACED,
} as const satisfies Record<PlacingState, number>

export const orderMemory = ({ memory, journal }: Pick<AdapterNeeds, 'memory' | 'journal'>) =>
  versionedOrders<OrderRecord>(memory, { journal, steps: STEPS })
