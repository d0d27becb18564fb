/**
 * The orders in the memory of a connection: `order/<ref>`. Every change is a compare-and-set, so that of two instances, or
 * a process and its successor, only one goes on. What the journal knows and a restored database does not is put back first.
 */
import type { VendorMemory } from './memory.ts'
import { type OrderJournal, isLater } from './order-journal.ts'

export interface StoredOrder<Order> {
  readonly order: Order
  readonly version: number
}

export interface AttemptedOrder {
  readonly ref: string
  readonly attempt: number
  readonly state: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The process that makes the attempt. */
  readonly sender: string
}

interface Options<Order extends AttemptedOrder> {
  readonly journal?: OrderJournal | undefined
  /** How far a state is; states at 0 have sent nothing, and the journal does not need them. */
  readonly steps: Readonly<Record<Order['state'], number>>
  /** Of members that the journal leaves out because they are large. */
  readonly omitted?: Partial<Order>
  /** Called before an order of the journal is put back. */
  readonly onLost?: (order: Order) => Promise<void>
}

export type VersionedOrders<Order extends AttemptedOrder> = ReturnType<typeof versionedOrders<Order>>

export function versionedOrders<Order extends AttemptedOrder>(
  memory: VendorMemory,
  { journal, steps, omitted = {}, onLost }: Options<Order>,
) {
  const key = (ref: string) => `order/${ref}`
  const positionOf = (order: Order) => ({ attempt: order.attempt, step: steps[order.state as Order['state']] })

  async function read(ref: string): Promise<StoredOrder<Order> | undefined> {
    const found = await memory.get(key(ref))
    return found && { order: found.value as Order, version: found.version }
  }

  async function get(ref: string): Promise<StoredOrder<Order> | undefined> {
    for (;;) {
      const stored = await read(ref)
      const journaled = journal?.find(ref)
      if (!journaled || !isLater(journaled, stored && positionOf(stored.order))) return stored
      const order = journaled.order as unknown as Order
      await onLost?.(order)
      const version = await memory.put(key(ref), order, stored?.version ?? 0)
      if (version !== undefined) return { order, version }
    }
  }

  // Other hosts have journals of their own: what is put back into the database is known to them, too.
  void (async () => {
    for (const ref of journal?.refs(0) ?? []) await get(ref)
  })().catch(() => {})

  return {
    get,
    /** Why an order of this number must not be sent. */
    reasonNotToSend: (ref: string) =>
      journal?.isOfAnotherDatabase(ref)
        ? `The journal of orders of this host has the number ${ref} from another database`
        : undefined,
    /**
     * Undefined: another writer came first. Resolves once the order is also in the journal, so nothing may be sent before.
     * Rejects when the journal cannot be written.
     */
    async put(order: Order, version: number): Promise<StoredOrder<Order> | undefined> {
      const written = await memory.put(key(order.ref), order, version)
      if (written === undefined) return undefined
      const { attempt, step } = positionOf(order)
      if (step > 0) await journal?.append({ ref: order.ref, attempt, step, order: { ...order, ...omitted } })
      return { order, version: written }
    },
  }
}
