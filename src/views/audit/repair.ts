/** Records orders that the supplier has and our records lost. It never sends an order; what cannot be recorded is reported. */
import { bookLostOrder, findSession, foundSettlement, settle } from '../../acts/checkout/index.ts'
import type { Context } from '../../context.ts'
import { audit } from './audit.ts'
import { findLostOrders } from './lost-orders.ts'

type Deps = Pick<Context, 'store' | 'vendors' | 'clock' | 'config'>

export async function repair(ctx: Deps, { days, by }: { readonly days: number; readonly by: string }) {
  const booked: { checkout: string; label: string }[] = []
  /** Not booked or not asked about: the repair is complete only when there are none. */
  const unbooked: { checkout: string; text: string }[] = []
  const { problems } = await audit(ctx, { askSupplier: true })
  for (const { code, checkout, text } of problems) {
    if (code === 'supplier_not_asked') unbooked.push({ checkout, text: describeNotAsked(text) })
    if (code !== 'supplier_has_stray_order') continue
    const label = await bookStrayOrder(ctx, checkout)
    if (label === undefined) unbooked.push({ checkout, text: 'The supplier could not be asked again' })
    else booked.push({ checkout, label })
  }
  const lost = await findLostOrders(ctx, days)
  for (const { code, checkout, text } of lost.problems)
    if (code === 'supplier_not_asked') unbooked.push({ checkout, text: describeNotAsked(text) })
  for (const order of lost.orders) {
    const { checkout, status, recordedFor } = order
    const why =
      recordedFor === undefined
        ? await bookLostOrder(ctx, order, by)
        : `its number is that of an order to ${recordedFor}`
    if (why === undefined) booked.push({ checkout, label: status.externalRef })
    else unbooked.push({ checkout, text: `Order ${status.externalRef} was not booked: ${why}` })
  }
  return { booked, unbooked }
}

const describeNotAsked = (why: string): string => `The supplier could not be asked (${why}). Run the repair again`

/** Settles a session whose attempt is on record, as the recovery job would. */
async function bookStrayOrder(ctx: Deps, checkout: string): Promise<string | undefined> {
  const session = await findSession(ctx.store.db, checkout)
  const supply = session && ctx.vendors.supply(session.vendor)
  if (!session || !supply?.ok) return undefined
  const status = await supply.value.orderStatus(checkout)
  if (!status.ok) return undefined
  return (await settle(ctx, checkout, session.attemptNo, foundSettlement(status.value))).session.supplierOrderNo
}
