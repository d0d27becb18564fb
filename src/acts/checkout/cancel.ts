/** POST /checkout-sessions/{id}/cancel: refused while the supplier's answer is awaited. */
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { WriteContext } from '../../context.ts'
import { closeSession, closeIfOverdue } from './close.ts'
import { retryOnConflict } from '../../lib/concurrency.ts'
import { findSession } from './records.ts'
import type { Session } from './session.ts'
import { TEXTS } from './texts.ts'
import { mayTrigger } from './transitions.ts'

export const cancelCheckout = (ctx: WriteContext, id: string): Promise<Outcome<Session>> =>
  retryOnConflict(async () => {
    const found = await findSession(ctx.store.db, id)
    if (!found) return refuse('not_found', TEXTS.notFound(id))
    const session = await closeIfOverdue(ctx, found)
    if (!mayTrigger(session.status, 'cancel')) return refuseEdit(session)
    return accept(await ctx.store.transaction((tx) => closeSession(ctx, tx, session, 'canceled')))
  })

export const refuseEdit = (session: Pick<Session, 'id' | 'status'>) =>
  refuse('not_editable', TEXTS.notEditable(session))
