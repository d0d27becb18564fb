/** POST /checkout-sessions/{id}/cancel (4.4): never while the supplier's answer is out. */
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { close, closeIfOverdue } from './close.ts'
import { retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession } from './records.ts'
import type { Session } from './session.ts'
import { allows } from './transitions.ts'

export function cancelCheckout(ctx: Pick<Context, 'store' | 'clock'>, id: string): Promise<Outcome<Session>> {
  return retryOnConflict(async () => {
    const found = await findSession(ctx.store.db, id)
    if (!found) return refuse('not_found', `there is no checkout ${id}`)
    const session = await closeIfOverdue(ctx, found)
    if (!allows(session.status, 'cancel')) return notEditable(session)
    return accept(await ctx.store.transaction((tx) => close(ctx, tx, session, 'canceled')))
  })
}

export const notEditable = ({ id, status }: Pick<Session, 'id' | 'status'>) =>
  refuse('not_editable', `checkout ${id} is ${status}`)
