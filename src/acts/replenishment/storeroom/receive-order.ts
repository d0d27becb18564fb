/**
 * POST /orders/{id}/receive: books a purchase into the store room, once. One of a run may come before its machines are filled;
 * its receipts then book only what was loaded.
 */
import type { OrderReceiveRequest } from '../../../contract/shapes/storeroom.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import type { Context } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { findArrivedOrders, lockStoreroom, moveUnits, refuseNoStoreroom } from '../../../route/storeroom/index.ts'
import { type Purchase, findPurchases, markReceived } from '../../orders/index.ts'
import { findSession } from '../../checkout/index.ts'
import { getRun, incrementRunsVersion } from '../runs/records.ts'
import { findRunOfCheckout } from '../runs/slot-run-records.ts'
import { reserveOpenStops } from './book-receipt.ts'
import { arrivalMoves, confirmedProducts, readCame } from './arrival.ts'
import { arrivedEvent } from './texts.ts'

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
    const run = await findRunOfCheckout(tx, id)
    // The counter before the store room, as a receipt locks them.
    if (run !== undefined) await incrementRunsVersion(tx)
    await lockStoreroom(tx)
    const [purchase] = await findPurchases(tx, [id])
    if (!purchase)
      return (await findSession(tx, id))
        ? refuse('not_placed', `${id} was not ordered, so nothing can have come`)
        : refuse('not_found', `Order "${id}" not found`)
    if (purchase.receivedAt !== undefined || (await findArrivedOrders(tx, [id])).has(id))
      return refuse('already_received', `${id} was received before`)
    if (purchase.state === 'cancelled')
      return refuse('canceled', `The supplier canceled ${id}`, undefined, { status: 409 })
    const confirmed = confirmedProducts(purchase)
    const read = readCame(confirmed, delivered, 'delivered')
    if (!read.ok) return read
    const { came, messages } = read.value
    const moves = arrivalMoves(confirmed, came)
    const now = ctx.clock.now()
    const reference = { type: 'order' as const, id }
    await moveUnits(
      tx,
      now,
      moves.map((move) => ({ ...move, reference })),
    )
    await markReceived(tx, id, now)
    if (run !== undefined) await reserveOpenStops(tx, await getRun(tx, run))
    await recordEvent(ctx, tx, arrivedEvent(reference, confirmed, moves))
    return accept({ purchase: { ...purchase, receivedAt: now }, messages })
  })
}
