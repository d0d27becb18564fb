/** What a supplier sent us by itself says which orders to ask it about; nothing in it is believed. */
import { DAY } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import { endInbound, listWaitingInbound, removeOldInbound } from '../../route/connections/index.ts'
import { findPurchase, findPurchaseByLabel } from './purchase-records.ts'
import { refreshPurchase } from './refresh-purchase.ts'

const BATCH_SIZE = 50
const KEPT_MS = 7 * DAY

/** A supplier that cannot be asked now is asked by the usual job: the message ends all the same after an hour. */
const GIVE_UP_MS = DAY / 24

export async function processInbound(ctx: Context): Promise<void> {
  const { store, clock } = ctx
  /** One that does not answer is not asked again in this run. */
  const silent = new Set<string>()
  for (const message of await listWaitingInbound(store.db, BATCH_SIZE)) {
    if (silent.has(message.namespace)) continue
    const outcomes = await Promise.all(message.orders.map((order) => refresh(ctx, message.namespace, order)))
    if (!outcomes.every(Boolean)) silent.add(message.namespace)
    if (outcomes.every(Boolean) || clock.now() - message.receivedAt > GIVE_UP_MS)
      await endInbound(store.db, message, clock.now())
  }
  await removeOldInbound(store.db, clock.now() - KEPT_MS)
}

/** An order that is not ours, or not yet, is nothing to do. */
async function refresh(ctx: Context, vendor: string, label: string): Promise<boolean> {
  const id = await findPurchaseByLabel(ctx.store.db, vendor, label)
  const purchase = id === undefined ? undefined : await findPurchase(ctx.store.db, id)
  return purchase === undefined || (await refreshPurchase(ctx, purchase, { isLive: true })).ok
}
