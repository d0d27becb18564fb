/** Books products loaded into machines: stock rises at once, and the next sync replaces it with what the machine reports. */
import type { Tx } from '../../store/store.ts'
import { bookWork } from './service/book-work.ts'

export interface Receipt {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
  /** Fewer loaded than ordered shows the capacity of the slot. */
  readonly ordered: number
}

/** Machines in the order of their ids: two receipts at once lock them in the same order. */
export async function raiseStock(tx: Tx, receipts: readonly Receipt[], now: number): Promise<void> {
  const byMachine = Map.groupBy(receipts, ({ location }) => location)
  for (const location of [...byMachine.keys()].toSorted())
    await bookWork(
      tx,
      location,
      (byMachine.get(location) ?? []).map(({ vendorSku, quantity, ordered }) => ({
        vendorSku,
        loaded: { quantity, ordered },
      })),
      now,
    )
}
