/** Reads the state of a purchase from its supplier; each change of state is saved once, with its event. */
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findPurchase, saveStatus, purchasesToRefresh } from './purchase-records.ts'
import type { Purchase } from './purchase-records.ts'
import { purchaseStateChanged } from './texts.ts'

/** A younger report is not requested again; an order that has arrived or was cancelled hardly changes any more. */
const FRESH_MS = { ordered: 15 * SECOND, arrived: 10 * MINUTE, cancelled: 10 * MINUTE } as const
const REFRESH_EVERY_MS = 5 * MINUTE
const BATCH_SIZE = 50

export async function refreshPurchase(ctx: Context, purchase: Purchase): Promise<Outcome<Purchase>> {
  const { store, clock, vendors } = ctx
  // A negative age means that the clock was set back, so the age is unknown.
  const age = purchase.supplierStatus && clock.now() - purchase.supplierStatus.askedAt
  if (age !== undefined && age >= 0 && age < FRESH_MS[purchase.state]) return accept(purchase)
  const supply = vendors.supply(purchase.vendor)
  if (!supply.ok)
    return refuse('upstream_unreachable', `${purchase.vendor} is not live, so the state of this order cannot be read`)
  const status = await supply.value.orderStatus(purchase.id)
  if (!status.ok)
    return status.reason === 'absent'
      ? refuse('upstream_unreachable', `${purchase.vendor} does not know this order`)
      : toRefusal(status)

  await store.transaction(async (tx) => {
    if (!(await saveStatus(tx, purchase, status.value, clock.now()))) return
    if (status.value.state === purchase.state) return
    await recordEvent(ctx, tx, purchaseStateChanged(purchase, status.value))
  })
  return accept((await findPurchase(store.db, purchase.id)) ?? purchase)
}

/** The job: open purchases, the longest waiting first. A failure does not stop the others. */
export async function refreshOpenPurchases(ctx: Context): Promise<void> {
  const due = await purchasesToRefresh(ctx.store.db, ctx.clock.now(), REFRESH_EVERY_MS, BATCH_SIZE)
  for (const purchase of due) {
    const outcome = await refreshPurchase(ctx, purchase)
    if (!outcome.ok)
      ctx.log.warn(
        { purchase: purchase.id, code: outcome.refusal.messages[0]?.code },
        'the state of a purchase could not be read',
      )
  }
}
