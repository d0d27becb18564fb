/**
 * Whether the number of a session that was never attempted is the number of another order. Its own supplier is asked by the
 * caller; here it is the orders of this host, and the other suppliers: an order of the same number there would be hidden by
 * this one, because a number stands for one order (ADR 16).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckoutContext } from '../context.ts'
import { askOrderStatus } from '../purchase/recover.ts'
import type { Session } from '../session.ts'
import { TEXTS } from '../texts.ts'

/** A supplier that this purchase does not need must not delay it. No answer is no sign of an order. */
const OTHERS_WAIT_MS = 2000

/** The sentence that says so; undefined when no other order is known. */
export async function findTakenNumber(
  ctx: Pick<CheckoutContext, 'vendors' | 'sentNumbers' | 'log'>,
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
): Promise<string | undefined> {
  try {
    if (ctx.sentNumbers.has(id)) return TEXTS.numberSent(id, undefined)
  } catch (err) {
    ctx.log.error({ err }, 'The numbers of the orders of this host cannot be read')
    return TEXTS.numberNotRecorded
  }
  const others = ctx.vendors.registrations.filter(
    ({ namespace, role, status }) => role === 'supply' && status === 'live' && namespace !== vendor,
  )
  if (others.length === 0) return undefined
  const asking = Promise.all(others.map(({ namespace }) => hasOrder(ctx, namespace, id)))
  const answers = await Promise.race([asking, sleep(OTHERS_WAIT_MS, undefined, { ref: false })])
  const found = answers?.findIndex((has) => has) ?? -1
  return found === -1 ? undefined : TEXTS.numberSent(id, others[found]?.namespace)
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
