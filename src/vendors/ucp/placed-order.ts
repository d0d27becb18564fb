/**
 * What the memory of a connection knows about an order: `order/<ref>`. Every change is a compare-and-set, so that of two
 * instances, or a process and its successor, only one goes on.
 */
import type { SupplyLine } from '../contract.ts'
import type { VendorMemory } from '../memory.ts'

/**
 * - `preparing`   a session is being opened; the request that buys has not been sent
 * - `completing`  from now on that request may have been sent
 * - `refused`     it was sent, and the merchant declined it
 * - `handed_off`  a person goes on at the merchant
 * - `placed`      the merchant has the order
 * - `closed`      the request that buys was certainly not sent, and never will be for this attempt
 */
export type PlacingState = 'preparing' | 'completing' | 'refused' | 'handed_off' | 'placed' | 'closed'

export interface PlacedRecord {
  readonly state: PlacingState
  readonly ref: string
  /** Counts from 1: the idempotency keys depend on it. */
  readonly attempt: number
  /** The process that makes the attempt. */
  readonly sender: string
  /** Epoch milliseconds: of the attempt and, from `completing` on, of the request that buys. */
  readonly startedAt: number
  readonly lines: readonly MemorizedLine[]
  /** From `completing` on. */
  readonly sessionId?: string
  readonly orderId?: string
  readonly totalFen?: number
}

export interface MemorizedLine extends Pick<SupplyLine, 'vendorSku' | 'quantity'> {
  readonly itemId: string
  /** Absent: pieces. */
  readonly unit?: string
}

export interface StoredRecord {
  readonly order: PlacedRecord
  readonly version: number
}

export interface OrderMemory {
  get(ref: string): Promise<StoredRecord | undefined>
  /** Undefined: another writer came first. */
  put(order: PlacedRecord, version: number): Promise<StoredRecord | undefined>
}

export function orderMemory(memory: VendorMemory): OrderMemory {
  const key = (ref: string) => `order/${ref}`
  return {
    async get(ref) {
      const found = await memory.get(key(ref))
      return found && { order: found.value as PlacedRecord, version: found.version }
    },
    async put(order, version) {
      const written = await memory.put(key(order.ref), order, version)
      return written === undefined ? undefined : { order, version: written }
    },
  }
}
