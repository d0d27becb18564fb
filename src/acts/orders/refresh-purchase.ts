/** Reads the state of a purchase from its supplier; each change of state is saved once, with its event. */
import type { Order } from '../../contract/shapes/order.ts'
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Result } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { SupplyOrderStatus, SupplyVendor } from '../../vendors/supply-vendor.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import { addOrderMessages, hasOrderTargets } from '../../record/outbox/index.ts'
import { agreedFenOf, chargedBy } from './charge.ts'
import { findPurchase } from './purchase-records.ts'
import type { Purchase } from './purchase-record.ts'
import { saveStatus, listPurchasesToRefresh } from './purchase-status-records.ts'
import { loadPurchaseSnapshot } from './snapshot.ts'
import { invoiceDifferences } from './invoice-differences.ts'
import { newShortages } from './short-lines.ts'
import { findArrivedOrders } from '../../route/storeroom/index.ts'
import type { Tx } from '../../store/store.ts'
import { invoiceDiffers, purchaseAboveAgreed, purchaseShort, purchaseStateChanged } from './texts.ts'

/** A younger report is not requested again; an order that has arrived or was cancelled hardly changes any more. */
const FRESH_MS = { ordered: 15 * SECOND, arrived: 10 * MINUTE, cancelled: 10 * MINUTE } as const
const REFRESH_EVERY_MS = 5 * MINUTE
const BATCH_SIZE = 50

const isLive = ({ vendors }: Context, namespace: Purchase['vendor']): boolean => vendors.supply(namespace).ok

/** `isLive`: however young the last report is. */
export async function refreshPurchase(
  ctx: Context,
  purchase: Purchase,
  { isLive: asksAlways = false } = {},
): Promise<Outcome<Purchase>> {
  const { store, clock, vendors } = ctx
  // What was ordered is all that is known of an order that its supplier cannot be asked about.
  if (isLive(ctx, purchase.vendor) && !vendors.supports(purchase.vendor, 'orderStatus')) return accept(purchase)
  // A negative age means that the clock was set back, so the age is unknown.
  const age = purchase.supplierStatus && clock.now() - purchase.supplierStatus.askedAt
  if (!asksAlways && age !== undefined && age >= 0 && age < FRESH_MS[purchase.state]) return accept(purchase)
  const supply = vendors.supply(purchase.vendor)
  if (!supply.ok)
    return refuse('upstream_unreachable', `${purchase.vendor} is not live, so the state of this order cannot be read`)
  const status = await readStatus(supply.value, purchase)
  // The audit reports that the supplier has no such order; here the word of the person who recorded it stands.
  if (!status.ok && status.reason === 'absent' && purchase.recordedBy !== undefined) return accept(purchase)
  if (!status.ok)
    return status.reason === 'absent'
      ? refuse('upstream_unreachable', `${purchase.vendor} does not know this order`)
      : toRefusal(status)

  // Any difference that a reader of the order would see.
  const isWatched = hasOrderTargets(ctx, 'purchase')
  await store.transaction(async (tx) => {
    const before = isWatched ? await loadPurchaseSnapshot(ctx, tx, purchase.id) : undefined
    const differences = await compareInvoices(tx, purchase, status.value)
    if (!(await saveStatus(tx, purchase, status.value, clock.now(), differences))) return
    if (isWatched && hasChanged(before, await loadPurchaseSnapshot(ctx, tx, purchase.id)))
      await addOrderMessages(ctx, tx, {
        id: purchase.id,
        kind: 'purchase',
        orderedAt: purchase.placedAt,
        occurredAt: clock.now(),
      })
    const { totalFen: chargedFen } = chargedBy(purchase, status.value)
    if (chargedFen > purchase.totalFen)
      await recordEvent(
        ctx,
        tx,
        purchaseAboveAgreed(purchase.id, {
          order: purchase.label,
          chargedFen,
          agreedFen: agreedFenOf(purchase),
          currency: ctx.config.currency,
        }),
      )
    const short = newShortages(purchase, status.value)
    if (short.length > 0) await recordEvent(ctx, tx, purchaseShort(purchase, short))
    const known = purchase.supplierStatus?.invoiceDifferences ?? []
    if (differences.length > 0 && JSON.stringify(differences) !== JSON.stringify(known))
      await recordEvent(ctx, tx, invoiceDiffers(purchase, differences, ctx.config.currency))
    if (status.value.state === purchase.state) return
    await recordEvent(ctx, tx, purchaseStateChanged(purchase, status.value))
  })
  return accept((await findPurchase(store.db, purchase.id)) ?? purchase)
}

/** With the receipt, where one was booked into the store room. */
async function compareInvoices(tx: Tx, purchase: Purchase, status: SupplyOrderStatus) {
  if (status.invoices === undefined) return []
  const received = (await findArrivedOrders(tx, [purchase.id])).get(purchase.id)?.units
  const { state, lines, raw } = status
  const reported = { ...purchase.supplierStatus, ...(lines && { lines }), ...(raw !== undefined && { raw }) }
  return invoiceDifferences(
    { ...purchase, state, supplierStatus: reported as Purchase['supplierStatus'] },
    status.invoices,
    received,
  )
}

/** What a person recorded, the adapter learns when it is asked: a process that ended in between loses nothing. */
async function readStatus(supply: SupplyVendor, purchase: Purchase): Promise<Result<SupplyOrderStatus>> {
  const { id, label, recordedBy } = purchase
  const status = await supply.orderStatus(id)
  if (status.ok || !status.onlyPersonKnows || recordedBy === undefined) return status
  return (await supply.recordPlaced?.(id, label)) ? supply.orderStatus(id) : status
}

/** The first report alone is no news: it says of the order what its placing said. */
function hasChanged(before: Order | undefined, after: Order | undefined): boolean {
  const isFirstReport = before?.supplier_status === undefined
  const toVisibleText = (order: Order | undefined) =>
    JSON.stringify(isFirstReport ? { ...order, supplier_status: undefined, logistics: undefined } : order)
  return toVisibleText(before) !== toVisibleText(after)
}

/** The job: open purchases, the longest waiting first. A failure does not stop the others. */
export async function refreshOpenPurchases(ctx: Context): Promise<void> {
  // Others would take the places in the batch for ever.
  const askable = ctx.vendors.registrations
    .filter(({ capabilities }) => capabilities.includes('orderStatus'))
    .map(({ namespace }) => namespace)
  const due = await listPurchasesToRefresh(ctx.store.db, askable, {
    now: ctx.clock.now(),
    ms: REFRESH_EVERY_MS,
    limit: BATCH_SIZE,
  })
  for (const purchase of due) {
    const outcome = await refreshPurchase(ctx, purchase)
    if (!outcome.ok)
      ctx.log.warn(
        { purchase: purchase.id, code: outcome.refusal.messages[0]?.code },
        'the state of a purchase could not be read',
      )
  }
}
