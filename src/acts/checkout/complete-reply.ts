/** What a caller of `complete` is answered, with the event that every attempt writes (docs/contract.md, 4.4.8). */
import { type ErrorCode, type Message, error } from '../../kernel/message.ts'
import { type Outcome, type Refusal, accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import { credentialsRefused } from '../../vendors/refusal.ts'
import { recordEvent } from '../../record/events/index.ts'
import { RETRY_AFTER_SECONDS } from '../../rules/guardrails/index.ts'
import { type AttemptOutcome, findAttempt } from './purchase/attempt-records.ts'
import type { CheckoutContext } from './context.ts'
import type { Session } from './session.ts'
import { EVENTS, TEXTS } from './texts.ts'

export interface CompleteReply {
  readonly session: Session
  /** Messages of this answer only. */
  readonly messages: readonly Message[]
}

export type CompleteOutcome = Outcome<CompleteReply>
export type Refused = { readonly ok: false; readonly refusal: Refusal }

export const replyWith = (session: Session, messages: readonly Message[] = []): CompleteOutcome =>
  accept({ session, messages })

/** Refused before anything was claimed; the attempt still writes an event (docs/contract.md, 4.4.8). */
export async function refuseWithEvent(ctx: CheckoutContext, id: string, refused: Refused): Promise<Refused> {
  await recordRefusedComplete(ctx, id, refused.refusal)
  return refused
}

/** Also for requests that are refused before the handler runs. */
export const recordRefusedComplete = async (
  ctx: Pick<CheckoutContext, 'store' | 'clock'>,
  id: string,
  refusal: Refusal,
): Promise<void> => {
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.refused(id, refusal)))
}

/** An earlier or a concurrent call bought it: returns the same order, with an event for this call. */
export async function reportAlreadyCompleted(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const { id, supplierOrderNo } = session
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.alreadyCompleted(id, supplierOrderNo ?? '')))
  return replyWith(session)
}

/** The session is incomplete, expired, rejected or waiting for the owner; it says which. */
export async function answerAsIs(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.notReady(session.id, ...incompleteReason(session))))
  return replyWith(session)
}

function incompleteReason(session: Session): readonly [reason: ErrorCode | 'incomplete', reasoning: string] {
  const { status, closed, decision } = session
  if (status === 'requires_escalation') return ['approval_required', `It is waiting for approval (${decision}).`]
  if (closed?.as === 'approval_rejected') return ['approval_rejected', `${TEXTS.approvalRejected}.`]
  if (status === 'canceled') return ['expired', `${TEXTS.expired}.`]
  return [
    'incomplete',
    problemsOf(session)
      .map(({ content }) => `${content}.`)
      .join(' '),
  ]
}

/** What keeps a session from being completed. */
export const problemsOf = ({ unavailableLines, findings }: Session): readonly Message[] =>
  [...unavailableLines, ...findings].filter(({ type }) => type === 'error')

const REPLY_CODES = {
  rejected: 'supplier_rejected',
  unauthorized: 'unauthorized',
  unsupported: 'namespace_unsupported',
  unsent: 'upstream_unreachable',
  absent: 'upstream_unreachable',
  unknown: 'upstream_unreachable',
  not_placed: 'upstream_unreachable',
} as const satisfies Record<Exclude<AttemptOutcome, 'accepted' | 'superseded' | 'handed_off'>, ErrorCode>

/** The answer to the caller of an attempt that ended without an order, or has not ended. */
export async function attemptReply(
  ctx: CheckoutContext,
  session: Session,
  attemptNo: number,
): Promise<CompleteOutcome> {
  const attempt = await findAttempt(ctx.store.db, session.id, attemptNo)
  const outcome = attempt?.outcome ?? 'unknown'
  if (outcome === 'accepted' || outcome === 'superseded' || outcome === 'handed_off') return replyWith(session)
  const denied = attempt?.denied
  const retry =
    denied === 'guard_unverifiable' ? { retryAfter: RETRY_AFTER_SECONDS } : retryAfterOf(ctx, outcome, session)
  const text = attempt?.text ?? TEXTS.outcomeNotRecorded
  if (denied === undefined && outcome === 'unauthorized') return credentialsRefused(text, session.vendor)
  const code = denied ?? REPLY_CODES[outcome]
  return code === 'upstream_unreachable'
    ? refuseUnreachable(session.id, text, outcome === 'unknown', retry)
    : refuse(code, text, undefined, retry)
}

/** Says whether the order may exist: a second session would then buy twice. */
export const refuseUnreachable = (
  id: string,
  text: string,
  mayExist: boolean,
  extra: Omit<Refusal, 'messages'> = {},
): Refused =>
  refuseAll(
    [
      mayExist
        ? error('upstream_unreachable', TEXTS.mayExist(id, text), undefined, { may_exist: true, checkout: id })
        : error('upstream_unreachable', text, undefined, { may_exist: false }),
    ],
    extra,
  )

/** Of a call that has sent nothing. `mayExist`: an earlier one may have. */
export const withMayExist = (id: string, refused: Refused, mayExist = false): Refused => {
  const {
    messages: [first, ...others],
    ...extra
  } = refused.refusal
  return first?.code === 'upstream_unreachable' && others.length === 0
    ? refuseUnreachable(id, first.content, mayExist, extra)
    : refused
}

/** Asking again later helps, unless only a person can learn the outcome. */
export const retryAfterOf = (
  { config }: CheckoutContext,
  outcome: AttemptOutcome,
  { outcomeUnknown }: Session,
): { readonly retryAfter?: number } =>
  outcome === 'unknown' && !outcomeUnknown?.onlyPersonKnows
    ? { retryAfter: Math.ceil((2 * config.upstreamTimeoutMs) / 1000) }
    : {}
