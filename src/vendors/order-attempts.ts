/**
 * One attempt at a time to send an order that only our memory knows: whose it is, whether it has ended, and what a person
 * says about it. For adapters whose supplier cannot be asked by our number.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { SingleFlight } from '../lib/concurrency.ts'
import type { Result } from './contract.ts'
import type { SupplyPlacement } from './supply-vendor.ts'
import type { AttemptedOrder, StoredOrder, VersionedOrders } from './versioned-orders.ts'

interface Options<Order extends AttemptedOrder> {
  /** The states of an attempt under way, in which nothing is known about its end. */
  readonly begun: readonly Order['state'][]
  /** The state in which the supplier certainly has the order. */
  readonly placed: Order['state']
  /** An attempt of another process that began this long ago has ended. */
  readonly endedAfterMs: number
  /** What became of an attempt that ended without a record. Throws where this cannot be found out now. */
  readonly settle: (order: Order) => Promise<Order['state']>
  /** Called with the attempt as it was, once that is stored. */
  readonly afterSettled?: (order: Order) => Promise<void>
}

export function orderAttempts<Order extends AttemptedOrder>(
  orders: Pick<VersionedOrders<Order>, 'get' | 'put'>,
  { now }: Pick<Clock, 'now'>,
  { begun, placed, endedAfterMs, settle, afterSettled }: Options<Order>,
) {
  const sender = randomUUID()
  const running = new SingleFlight<string, Result<SupplyPlacement>>()

  /**
   * The order once no attempt at it is under way, otherwise `running`. One that ended without a record is settled first: if it
   * runs after all, its next compare-and-set fails, and it sends nothing. `isWithinAttempt`: the caller is the only attempt of
   * this process, so an earlier one has ended.
   */
  async function findEnded(ref: string, isWithinAttempt = false): Promise<StoredOrder<Order> | 'running' | undefined> {
    if (!isWithinAttempt && running.running(ref)) return 'running'
    for (;;) {
      const stored = await orders.get(ref)
      if (!stored || !begun.includes(stored.order.state)) return stored
      const { order, version } = stored
      if (order.sender !== sender && Math.abs(now() - order.startedAt) <= endedAfterMs) return 'running'
      const settled = await orders.put({ ...order, state: await settle(order) }, version)
      if (settled) await afterSettled?.(order)
    }
  }

  return {
    /** Names this process in the records of its attempts. */
    sender,
    /** Callers that ask for the same order meanwhile get the same answer. */
    run: (ref: string, attempt: () => Promise<Result<SupplyPlacement>>) => running.run(ref, attempt),
    findEnded,
    /** A person knows that the supplier has the order; `named` is what it is called there. False: there is none to say it of. */
    async recordPlaced(ref: string, named: Partial<Order>): Promise<boolean> {
      for (;;) {
        const stored = await findEnded(ref)
        if (!stored || stored === 'running') return false
        if (stored.order.state === placed) return true
        if (await orders.put({ ...stored.order, ...named, state: placed }, stored.version)) return true
      }
    },
  }
}
