/**
 * Whether the number of a session that was never attempted is the number of another order. Its own supplier is asked by the
 * caller; here it is the orders of this host, and the other suppliers: an order of the same number there would be hidden by
 * this one, because a number stands for one order (ADR 16).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Outcome, type Refused, accept, refuse } from '../../../kernel/outcome.ts'
import type { Context } from '../../../context.ts'
import type { CheckoutContext } from '../context.ts'
import { askOrderStatus } from '../purchase/attempt.ts'
import type { Session } from '../session.ts'
import { TEXTS } from '../texts.ts'

/** A supplier that this purchase does not need must not delay it. No answer is no sign of an order. */
const OTHERS_WAIT_MS = 2000

/** Undefined when no other order is known. */
export async function findTakenNumber(
  ctx: Pick<CheckoutContext, 'vendors' | 'sentNumbers' | 'log'>,
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
): Promise<Refused | undefined> {
  const isSent = wasSent(ctx, id)
  if (!isSent.ok) return isSent
  if (isSent.value) return refuse('supplier_rejected', TEXTS.numberSent(id, undefined))
  const others = ctx.vendors.registrations.filter(
    ({ namespace, role, status }) => role === 'supply' && status === 'live' && namespace !== vendor,
  )
  if (others.length === 0) return undefined
  const asking = Promise.all(others.map(({ namespace }) => hasOrder(ctx, namespace, id)))
  const answers = await Promise.race([asking, sleep(OTHERS_WAIT_MS, undefined, { ref: false })])
  const found = answers?.findIndex((has) => has) ?? -1
  return found === -1 ? undefined : refuse('supplier_rejected', TEXTS.numberSent(id, others[found]?.namespace))
}

/** Refused while the numbers of this host cannot be read. */
export function wasSent({ sentNumbers, log }: Pick<Context, 'sentNumbers' | 'log'>, id: string): Outcome<boolean> {
  try {
    return accept(sentNumbers.has(id))
  } catch (err) {
    log.error({ err }, TEXTS.numbersUnreadable)
    return refuse('service_unavailable', TEXTS.numbersUnreadable)
  }
}

/** Also when only a person knows what came of it: then an order of this number was sent. */
async function hasOrder(
  ctx: Pick<CheckoutContext, 'vendors'>,
  vendor: Session['vendor'],
  id: string,
): Promise<boolean> {
  const supply = ctx.vendors.supply(vendor)
  if (!supply.ok) return false
  const status = await askOrderStatus(ctx, supply.value, { id, vendor })
  return status.ok || status.onlyPersonKnows === true
}
