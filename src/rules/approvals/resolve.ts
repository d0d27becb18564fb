/** POST /approvals/{id}: resolves a decision once, in one transaction with its subject and its event. */
import type { Resolver } from '../../contract/shapes/approval.ts'
import { currentCaller } from '../../kernel/caller.ts'
import type { Message } from '../../kernel/message.ts'
import { type Outcome, accept, catchRefusal, refuse, RefusedError } from '../../kernel/outcome.ts'
import { findCreated, recordCreated } from '../../store/created.ts'
import type { Tx } from '../../store/store.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import { type Rules, readGuardrails, requireKillSwitchOff } from '../guardrails/index.ts'
import { type Decision, isExpired, NEXT, subjectParams } from './decision.ts'
import { findDecision, resolvePending } from './records.ts'
import { closeOverdueQuestion } from './questions.ts'
import { requireDecider } from './decider.ts'
import { type Subjects, OverdueSubjectError } from './subjects.ts'
import { type Person, TOKEN_HOLDER } from '../../kernel/person.ts'

/** Who may resolve a decision when the request names a resolver: a registered administrator, in a registered chat. */
type Registered = Pick<Rules, 'administrators' | 'administratorChats'>

function mayResolve(rules: Registered, { channel, sender_id, chat_id }: Resolver): boolean {
  if (sender_id === undefined || !rules.administrators.includes(sender_id)) return false
  return channel !== 'chat' || (chat_id !== undefined && rules.administratorChats.includes(chat_id))
}

/** `resolved_by`: without a resolver it was the holder of the key or token. */
const describeResolver = (resolver: Resolver | undefined, by: Person = TOKEN_HOLDER): string =>
  resolver === undefined ? by.name : `${resolver.sender_id ?? 'unknown'} (${resolver.channel})`

export interface Resolution {
  readonly approved: boolean
  readonly resolver?: Resolver
  /** Of a question that offers several answers. */
  readonly option?: string
  /** Why, in the words of whoever decided. */
  readonly comment?: string
}

export interface Resolved {
  readonly decision: Decision
  /** About its effect, for example an approved price change that the machine refused. */
  readonly messages: readonly Message[]
}

export const resolveApproval = (
  ctx: Context,
  subjects: Subjects,
  id: string,
  resolution: Resolution,
): Promise<Outcome<Resolved>> => catchRefusal(() => resolve(ctx, subjects, id, resolution))

async function resolve(ctx: Context, subjects: Subjects, id: string, request: Resolution): Promise<Outcome<Resolved>> {
  const { approved, resolver, comment, option } = request
  const known = await findDecision(ctx.store.db, id)
  if (!known) return refuse('not_found', notFoundText(id))
  const wrongOption = option === undefined ? undefined : optionProblem(known, approved, option)
  if (wrongOption !== undefined) return refuse('invalid', wrongOption, '$.option')
  const by = currentCaller()?.by
  if (by?.role === 'bridge' && resolver?.channel !== 'chat')
    return refuse('forbidden', 'A bridge may only pass on what a person decided in a chat', '$.resolver')
  if (resolver !== undefined) {
    const guard = await readGuardrails(ctx)
    if (!guard.ok) return guard
    if (!mayResolve(guard.value.rules, resolver))
      return refuse('forbidden', 'The resolver is not a registered administrator', '$.resolver')
  }
  const subject = subjects[known.subject.type]
  const answer = async (decision: Decision): Promise<Outcome<Resolved>> =>
    accept({ decision, messages: (await subject.afterCommit?.(decision, approved)) ?? [] })
  // An earlier run of this write may have decided, and its answer was lost with its process. The effect is safe to repeat.
  const answerResolved = async (decision: Decision | undefined): Promise<Outcome<Resolved>> =>
    decision !== undefined && (await findCreated(ctx.store.db)) === id
      ? answer(decision)
      : decision && isExpired(decision)
        ? refuse('expired', 'Nobody answered this question in time', undefined, { status: 409 })
        : refuse('already_resolved', `This decision is already ${decision?.status ?? 'resolved'}`)
  if (known.status !== 'pending') return answerResolved(known)
  if (known.question && known.question.expiresAt <= ctx.clock.now()) {
    await closeOverdueQuestion(ctx, known)
    return resolve(ctx, subjects, id, request)
  }
  await subject.prepare?.(known)
  const resolvedBy = describeResolver(resolver, by)
  const at = ctx.clock.now()
  const status = approved ? NEXT.pending.approve : NEXT.pending.reject
  const resolution = { status, at, by: resolvedBy, role: by?.role, comment, option }
  const decision: Decision = { ...known, status, resolvedAt: at, resolvedBy, resolvedRole: by?.role, comment, option }
  // The answer to a question leads to no write.
  const leadsToWrite = approved && !known.question
  const rules = leadsToWrite ? await readGuardrails(ctx) : undefined
  const write = async (tx: Tx): Promise<boolean> => {
    await requireDecider(ctx, tx, known, approved)
    // An approval under the kill switch would be used up without effect. A rejection sends nothing.
    if (leadsToWrite) await requireKillSwitchOff(ctx.store, tx)
    // Nor would one that no rule can be compared with.
    if (rules?.ok === false) throw new RefusedError(rules.refusal)
    if (!(await resolvePending(ctx, tx, known.id, resolution))) return false
    await recordCreated(tx, id, at)
    await subject.applyDecision(tx, decision, approved)
    await recordEvent(ctx, tx, {
      kind: 'approval',
      ...(known.question
        ? {
            code: 'question_answered' as const,
            params: { ...subjectParams(known), by: resolvedBy, answer: option ?? (approved ? 'yes' : 'no') },
            summary: `${known.id} answered by ${resolvedBy}: ${known.summary}`,
          }
        : {
            code: `decision_${status}` as const,
            params: { ...subjectParams(known), by: resolvedBy },
            summary: `${known.id} ${status} by ${resolvedBy}: ${known.summary}`,
          }),
      reasoning: comment === undefined ? known.reasoning : `${comment} (${known.reasoning})`,
    })
    return true
  }
  let isResolved: boolean
  try {
    isResolved = await ctx.store.transaction(write)
  } catch (failure) {
    if (!(failure instanceof OverdueSubjectError) || !subject.closeOverdue) throw failure
    await subject.closeOverdue(known)
    return resolve(ctx, subjects, id, request)
  }
  return isResolved ? answer(decision) : answerResolved(await findDecision(ctx.store.db, id))
}

function optionProblem({ question }: Decision, approved: boolean, option: string): string | undefined {
  if (!approved) return 'An option is an answer: it goes with approved: true'
  return question?.options.includes(option) ? undefined : 'This is not one of its options'
}

export const notFoundText = (id: string): string => `Approval "${id}" not found`
