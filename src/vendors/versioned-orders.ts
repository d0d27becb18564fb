/**
 * The orders in the memory of a connection: `order/<ref>`. Every change is a compare-and-set, so that of two instances, or
 * a process and its successor, only one goes on.
 */
import type { VendorMemory } from './memory.ts'

export interface StoredOrder<Order> {
  readonly order: Order
  readonly version: number
}

export interface VersionedOrders<Order> {
  get(ref: string): Promise<StoredOrder<Order> | undefined>
  /** Undefined: another writer came first. */
  put(order: Order, version: number): Promise<StoredOrder<Order> | undefined>
}

export function versionedOrders<Order extends { readonly ref: string }>(memory: VendorMemory): VersionedOrders<Order> {
  const key = (ref: string) => `order/${ref}`
  return {
    async get(ref) {
      const found = await memory.get(key(ref))
      return found && { order: found.value as Order, version: found.version }
    },
    async put(order, version) {
      const written = await memory.put(key(order.ref), order, version)
      return written === undefined ? undefined : { order, version: written }
    },
  }
}
