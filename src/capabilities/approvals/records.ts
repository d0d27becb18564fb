/**
 * Decisions in the store. Whoever writes a decision and its subject in one transaction writes the decision first:
 * with one order for all, two of them never wait for each other.
 */
import type { Selectable } from 'kysely'
import type { ApprovalStatus, DecisionKind } from '../../contract/approval.ts'
import { PENDING_DECISIONS_MAX } from '../../contract/limits.ts'
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { refuse, RefusedError } from '../../kernel/outcome.ts'
import { callerColumns } from '../../store/caller-columns.ts'
import { hasUpdatedRows } from '../../store/store.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { fromTextColumns, toTextColumns } from '../../store/text-columns.ts'
import type { DecisionTable } from '../../store/tables/approvals.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { decisionId, NEXT, parseDecisionId } from './decision.ts'
import type { Decision, DecisionId, NewDecision, SubjectRef } from './decision.ts'

export type { Decision, DecisionId, NewDecision, SubjectRef } from './decision.ts'

/** Who closed a decision that no person closed. */
export const SERVICE = 'service'

const fromRow = (row: Selectable<DecisionTable>): Decision => ({
  id: decisionId(row.at, row.seq),
  seq: row.seq,
  at: row.at,
  kind: row.kind,
  summary: row.summary,
  reasoning: row.reasoning,
  ...fromTextColumns(row),
  subject: { type: row.subject_type, id: row.subject_id },
  status: row.status,
  resolvedAt: row.resolved_at ?? undefined,
  resolvedBy: row.resolved_by ?? undefined,
  agent: row.agent ?? undefined,
})

/**
 * A decision that waits for the owner. A subject has at most one that waits. Throws a RefusedError, which takes the
 * transaction back, when too many wait already: a caller that went wrong must not bury what the owner has to see.
 */
export async function createPending(ctx: Pick<Context, 'clock'>, tx: Tx, decision: NewDecision): Promise<DecisionId> {
  await requirePendingCapacity(tx)
  return insert(ctx, tx, decision, 'pending')
}

async function requirePendingCapacity(tx: Tx): Promise<void> {
  // The row serialises openings over all instances, so that two of them never both take the last place.
  await tx
    .insertInto('counter')
    .values({ name: 'decisions opened', value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((at) => ({ value: at('counter.value', '+', 1) })))
    .execute()
  const { waiting } = await tx
    .selectFrom('decision')
    .select((at) => at.fn.countAll<number>().as('waiting'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (waiting < PENDING_DECISIONS_MAX) return
  const text = `${PENDING_DECISIONS_MAX} decisions already wait for the owner; nothing was changed. Resolve some first.`
  throw new RefusedError(refuse('rate_limited', text, undefined, { retryAfter: (5 * MINUTE) / SECOND }).refusal)
}

/** A decision the rules took by themselves, so that every spend has one. */
export const recordApproved = (ctx: Pick<Context, 'clock'>, tx: Tx, decision: NewDecision): Promise<DecisionId> =>
  insert(ctx, tx, decision, 'approved')

async function insert(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  decision: NewDecision,
  status: 'pending' | 'approved',
): Promise<DecisionId> {
  const { kind, summary, reasoning, subject } = decision
  const at = clock.now()
  const taken = status === 'approved'
  const { seq } = await tx
    .insertInto('decision')
    .values({
      at,
      kind,
      summary,
      reasoning,
      ...toTextColumns(decision),
      subject_type: subject.type,
      subject_id: subject.id,
      status,
      resolved_at: taken ? at : null,
      resolved_by: taken ? SERVICE : null,
      ...callerColumns(),
    })
    .returning('seq')
    .executeTakeFirstOrThrow()
  return decisionId(at, seq)
}

/** Takes a decision that waits; false when someone else already has. */
export async function resolvePending(
  tx: Tx,
  id: DecisionId,
  resolution: { readonly status: 'approved' | 'rejected'; readonly at: number; readonly by: string | undefined },
): Promise<boolean> {
  const key = parseDecisionId(id)
  if (!key) return false
  const taken = await tx
    .updateTable('decision')
    .set({ status: resolution.status, resolved_at: resolution.at, resolved_by: resolution.by ?? null })
    .where('seq', '=', key.seq)
    .where('at', '=', key.at)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return hasUpdatedRows(taken)
}

/** Rejected by the service because its subject is gone or changed; false when it was already resolved. */
export async function withdrawDecision(
  ctx: Pick<Context, 'store' | 'clock'>,
  tx: Tx,
  id: DecisionId,
  why: string,
): Promise<boolean> {
  const at = ctx.clock.now()
  if (!(await resolvePending(tx, id, { status: NEXT.pending.withdraw, at, by: SERVICE }))) return false
  await recordEvent(ctx, tx, { kind: 'approval', summary: `${id} withdrawn`, reasoning: why })
  return true
}

export async function findDecision(db: Queryable, id: string): Promise<Decision | undefined> {
  const key = parseDecisionId(id)
  if (!key) return undefined
  const row = await db
    .selectFrom('decision')
    .selectAll()
    .where('seq', '=', key.seq)
    .where('at', '=', key.at)
    .executeTakeFirst()
  return row && fromRow(row)
}

export async function pendingDecisionFor(db: Queryable, subject: SubjectRef): Promise<Decision | undefined> {
  const row = await db
    .selectFrom('decision')
    .selectAll()
    .where('subject_type', '=', subject.type)
    .where('subject_id', '=', subject.id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return row && fromRow(row)
}

export interface DecisionFilter {
  readonly status: ApprovalStatus | undefined
  readonly kind: DecisionKind | undefined
  /** Only what comes after this one in the list's order. */
  readonly after: number | undefined
  readonly limit: number
}

/** Those that wait oldest first, for they have waited longest; other listings newest first. */
export async function listDecisions(
  db: Queryable,
  { status, kind, after, limit }: DecisionFilter,
): Promise<Decision[]> {
  const oldestFirst = status === 'pending'
  let query = db
    .selectFrom('decision')
    .selectAll()
    .orderBy('seq', oldestFirst ? 'asc' : 'desc')
    .limit(limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (after !== undefined) query = query.where('seq', oldestFirst ? '>' : '<', after)
  return (await query.execute()).map(fromRow)
}
