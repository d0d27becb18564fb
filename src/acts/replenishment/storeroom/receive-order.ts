/** POST /orders/{id}/receive: books a purchase that belongs to no run into the store room, once. */
import type { OrderReceiveRequest } from '../../../contract/shapes/storeroom.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type ErrorMessage, type NoteMessage, error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../../kernel/outcome.ts'
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import type { Context } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { type Move, lockStoreroom, moveUnits, refuseNoStoreroom } from '../../../route/storeroom/index.ts'
import { type Purchase, findPurchases, markReceived } from '../../orders/index.ts'
import { findSession } from '../../checkout/index.ts'
import { findRunOfCheckout } from '../runs/slot-run-records.ts'
import { type PurchasedLine, confirmedProducts } from './arrival.ts'
import { arrivedEvent, moreThanConfirmed } from './texts.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

export interface ReceivedOrder {
  readonly purchase: Purchase
  readonly messages: readonly NoteMessage[]
}

export async function receiveOrder(
  ctx: Deps,
  id: string,
  { delivered }: OrderReceiveRequest,
): Promise<Outcome<ReceivedOrder>> {
  if (!ctx.config.hasStoreroom) return refuseNoStoreroom()
  return ctx.store.transaction(async (tx) => {
    await lockStoreroom(tx)
    const [purchase] = await findPurchases(tx, [id])
    if (!purchase)
      return (await findSession(tx, id))
        ? refuse('not_placed', `${id} was not ordered, so nothing can have come`)
        : refuse('not_found', `Order "${id}" not found`)
    const run = await findRunOfCheckout(tx, id)
    if (run !== undefined) return refuse('not_editable', `${id} belongs to ${run}. Receive the run instead`)
    if (purchase.receivedAt !== undefined) return refuse('already_received', `${id} was received before`)
    if (purchase.state === 'cancelled')
      return refuse('canceled', `The supplier canceled ${id}`, undefined, { status: 409 })
    const came = whatCame(confirmedProducts(purchase), delivered)
    if (!came.ok) return came
    const { moves, messages } = came.value
    const now = ctx.clock.now()
    const reference = { type: 'order' as const, id }
    await moveUnits(
      tx,
      now,
      moves.map((move) => ({ ...move, reference })),
    )
    await markReceived(tx, id, now)
    const units = moves.reduce((sum, move) => sum + move.units, 0)
    await recordEvent(ctx, tx, arrivedEvent(reference, units, moves.length))
    return accept({ purchase: { ...purchase, receivedAt: now }, messages })
  })
}

/** What the caller counted, else as confirmed. What is paid stays the same, so fewer units cost more each. */
function whatCame(
  confirmed: readonly PurchasedLine[],
  delivered: OrderReceiveRequest['delivered'],
): Outcome<{ readonly moves: readonly Move[]; readonly messages: readonly NoteMessage[] }> {
  const unitsOf = new Map<SkuId, number>()
  const problems: ErrorMessage[] = []
  const messages: NoteMessage[] = []
  const products = new Map(confirmed.map((product) => [product.skuId, product]))
  for (const [index, { item, quantity }] of (delivered ?? []).entries()) {
    const path = `$.delivered[${index}].item.id`
    const product = products.get(item.id as SkuId)
    if (!product) problems.push(error('invalid', 'This order has no such product', path))
    else if (unitsOf.has(product.skuId)) problems.push(error('invalid', 'This product is listed twice', path))
    else {
      unitsOf.set(product.skuId, quantity)
      if (quantity > product.units)
        messages.push(moreThanConfirmed({ title: product.title, units: quantity, ordered: product.units }, path))
    }
  }
  if (problems.length > 0) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  const moves = confirmed.flatMap(({ skuId, title, units: confirmedUnits, paidFen }): Move[] => {
    const units = delivered === undefined ? confirmedUnits : (unitsOf.get(skuId) ?? 0)
    return units > 0 ? [{ skuId, title, kind: 'bought', units, paidFen }] : []
  })
  return accept({ moves, messages })
}
