/** `complete?dry_run=true`: what completing would find now. Reads and asks, but writes, sends and records nothing. */
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Message } from '../../kernel/message.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Evidence } from '../../rules/guardrails/index.ts'
import { refuseEdit } from './cancel.ts'
import { maySendAfter, mayHaveAttemptAtSupplier, priceChangedErrors } from './complete.ts'
import { assessPurchase } from './basket/assess-basket.ts'
import type { CheckoutContext } from './context.ts'
import { askOrderStatus } from './purchase/attempt.ts'
import { findSession } from './records.ts'
import { withAssessment } from './basket/save-assessment.ts'
import { type Session, isOverdue } from './session.ts'
import { findTakenNumber } from './numbers/taken-numbers.ts'
import { TEXTS } from './texts.ts'

export interface PreviewedPurchase {
  readonly session: Session
  readonly messages: readonly Message[]
  readonly evidence: readonly Evidence[]
}

export async function previewComplete(ctx: CheckoutContext, id: string): Promise<Outcome<PreviewedPurchase>> {
  const session = await findSession(ctx.store.db, id)
  if (!session) return refuse('not_found', TEXTS.notFound(id))
  const now = ctx.clock.now()
  if (session.closed?.as === 'canceled') return refuseEdit(session)
  if (isOverdue(session, now))
    return unchangedPreview({ ...session, status: 'canceled', closed: { as: 'expired', at: now } })
  if (session.status !== 'ready_for_complete') return unchangedPreview(session)

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return supply
  const status = await askOrderStatus(ctx, supply.value, session)
  if (status.ok && session.attemptNo === 0)
    return refuse('supplier_rejected', TEXTS.numberTaken(id, status.value.externalRef))
  const taken = session.attemptNo === 0 ? await findTakenNumber(ctx, session) : undefined
  if (taken !== undefined) return taken
  // The order of an earlier attempt exists: completing would record it and buy nothing.
  if (status.ok) return unchangedPreview({ ...session, status: 'completed', supplierOrderNo: status.value.externalRef })
  if (!maySendAfter(status) && (await mayHaveAttemptAtSupplier(ctx, session))) return toRefusal(status)
  const checked = await assessPurchase(ctx, session, supply.value)
  if (!checked.ok) return checked
  const { assessment } = checked.value
  const { decision: _, ...after } = withAssessment(session, assessment, now)
  return accept({
    session: after,
    messages: priceChangedErrors(ctx, session, assessment),
    evidence: assessment.verdict.evidence,
  })
}

const unchangedPreview = (session: Session): Outcome<PreviewedPurchase> =>
  accept({ session, messages: [], evidence: [] })
