/** Asks the supplier how a purchase stands; a change of state is appended once, with its event. */
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findPurchase, saveStatus, purchasesToRefresh } from './purchase-records.ts'
import type { Purchase } from './purchase-records.ts'

/** An answer this young is not asked for again; what has arrived or was cancelled hardly changes any more. */
const FRESH_MS = { ordered: 15 * SECOND, arrived: 10 * MINUTE, cancelled: 10 * MINUTE } as const
const ASK_EVERY_MS = 5 * MINUTE
const AT_ONCE = 50

export async function refreshPurchase(ctx: Context, purchase: Purchase): Promise<Outcome<Purchase>> {
  const { store, clock, vendors } = ctx
  // Below zero the clock was set back since: then nothing is known about the age.
  const age = purchase.supplierStatus && clock.now() - purchase.supplierStatus.askedAt
  if (age !== undefined && age >= 0 && age < FRESH_MS[purchase.state]) return accept(purchase)
  const supply = vendors.supply(purchase.vendor)
  if (!supply.ok) return refuse('upstream_unreachable', `${purchase.vendor} is not live, so it cannot be asked`)
  const status = await supply.value.orderStatus(purchase.id)
  if (!status.ok)
    return status.reason === 'absent'
      ? refuse('upstream_unreachable', `${purchase.vendor} says it does not know this order`)
      : toRefusal(status)

  await store.transaction(async (tx) => {
    if (!(await saveStatus(tx, purchase, status.value, clock.now()))) return
    if (status.value.state === purchase.state) return
    await recordEvent(ctx, tx, {
      kind: 'order',
      summary: `Purchase ${purchase.id} (${purchase.label}) is ${status.value.state}`,
      reasoning: `${purchase.vendor} reports: ${status.value.description}`,
    })
  })
  return accept((await findPurchase(store.db, purchase.id)) ?? purchase)
}

/** The job: orders under way, the longest unasked first. One that cannot be asked does not hold up the others. */
export async function refreshOpenPurchases(ctx: Context): Promise<void> {
  const due = await purchasesToRefresh(ctx.store.db, ctx.clock.now(), ASK_EVERY_MS, AT_ONCE)
  for (const purchase of due) {
    const outcome = await refreshPurchase(ctx, purchase)
    if (!outcome.ok)
      ctx.log.warn(
        { purchase: purchase.id, code: outcome.refusal.messages[0]?.code },
        'a purchase could not be asked about',
      )
  }
}
