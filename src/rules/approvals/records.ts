/**
 * Decisions in the store. A transaction that writes a decision and its subject writes the decision first: with one order
 * for all, two transactions never wait for each other.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { ApprovalStatus, DecisionKind } from '../../contract/shapes/approval.ts'
import { PENDING_DECISIONS_MAX, PENDING_DECISIONS_OF_KEY_MAX, PENDING_QUESTIONS_MAX } from '../../contract/limits.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { type TextParams, error } from '../../kernel/message.ts'
import { RefusedError } from '../../kernel/outcome.ts'
import { type PersonRole, isTokenHolder } from '../../kernel/person.ts'
import { incrementCounter } from '../../store/counter.ts'
import { byColumns, callerColumns, fromByColumns } from '../../store/caller-columns.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { type Queryable, type Tx, afterCommit, readAll } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import { fromTextColumns, toTextColumns } from '../../store/text-columns.ts'
import type { Columns } from '../../store/schema.ts'
import { type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { WriteContext } from '../../context.ts'
import { decisionId, NEXT, parseDecisionId, subjectParams } from './decision.ts'
import type { Decision, DecisionEvidence, DecisionId, NewDecision, SubjectRef } from './decision.ts'

export type { Decision, DecisionId, NewDecision, SubjectRef } from './decision.ts'

/** `resolved_by` of a decision that no person resolved. */
const SERVICE = 'service'

const fromRow = (row: Selectable<Columns<'decision'>>): Decision => ({
  id: decisionId(row.at, row.seq),
  seq: row.seq,
  at: row.at,
  kind: row.kind,
  summary: row.summary,
  reasoning: row.reasoning,
  ...(fromTextColumns(row) as Pick<Decision, 'code' | 'params'>),
  subject: { type: row.subject_type, id: row.subject_id },
  status: row.status,
  resolvedAt: row.resolved_at ?? undefined,
  resolvedBy: row.resolved_by ?? undefined,
  agent: row.agent ?? undefined,
  by: fromByColumns(row),
  resolvedRole: row.resolved_role ?? undefined,
  ...(row.evidence === null ? {} : { evidence: JSON.parse(row.evidence) as DecisionEvidence[] }),
  comment: row.comment ?? undefined,
  option: row.option ?? undefined,
  ...questionOf(row),
})

const questionOf = (row: Selectable<Columns<'decision'>>): Pick<Decision, 'question'> =>
  row.expires_at === null
    ? {}
    : {
        question: {
          options: JSON.parse(row.options ?? '[]') as string[],
          expiresAt: row.expires_at,
          about:
            row.about_type === null || row.about_id === null ? undefined : { type: row.about_type, id: row.about_id },
        },
      }

/** What the hash chain holds of a decision: summary, reason, evidence and destination, and what became of it. */
const factsOf = (row: Omit<Selectable<Columns<'decision'>>, 'seq'>): Facts => ({
  at: row.at,
  kind: row.kind,
  summary: row.summary,
  reasoning: row.reasoning,
  subject_type: row.subject_type,
  subject_id: row.subject_id,
  status: row.status,
  resolved_at: row.resolved_at,
  resolved_by: row.resolved_by,
  resolved_role: row.resolved_role,
  by_name: row.by_name,
  by_role: row.by_role,
  comment: row.comment,
  code: row.code,
  params: row.params,
  evidence: row.evidence,
  agent: row.agent,
  ...(row.expires_at === null
    ? {}
    : {
        options: row.options,
        about_type: row.about_type,
        about_id: row.about_id,
        expires_at: row.expires_at,
        option: row.option,
      }),
})

/** The row as it was just written: until the commit, only this transaction can change it. */
const chainDecision = (
  ctx: WriteContext,
  tx: Tx,
  id: DecisionId,
  row: Omit<Selectable<Columns<'decision'>>, 'seq'>,
): void => chainChange(ctx, tx, { kind: 'decision', subject: id, readFacts: async () => factsOf(row) })

/**
 * A decision that waits for the owner. A subject has at most one that waits. Throws a RefusedError, which rolls the
 * transaction back, when too many wait already or the caller creates them too fast: a faulty caller must not hide what the
 * owner has to see. This is the only way to create one, so every operation is limited.
 */
export async function createPending(ctx: WriteContext, tx: Tx, decision: NewDecision): Promise<DecisionId> {
  limitCaller(tx)
  await requireBelowPendingMax(tx)
  return insert(ctx, tx, decision, 'pending')
}

/** A question to the owner. It takes no place of a decision, and is limited by itself. */
export async function createQuestion(ctx: WriteContext, tx: Tx, question: NewDecision): Promise<DecisionId> {
  limitCaller(tx)
  await incrementCounter(tx, 'decisions opened')
  const name = byColumns().by_name
  const { waiting } = await tx
    .selectFrom('decision')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('status', '=', PENDING)
    .where('subject_type', '=', 'note')
    .where('by_name', name === null ? 'is' : '=', name)
    .executeTakeFirstOrThrow()
  if (waiting >= PENDING_QUESTIONS_MAX)
    throw tooManyPending(`${PENDING_QUESTIONS_MAX} questions of yours are already pending`, {
      limit: PENDING_QUESTIONS_MAX,
    })
  return insert(ctx, tx, question, 'pending')
}

/** Questions that nobody answered in time, at most `limit`. */
export const listOverdueQuestions = (db: Queryable, now: number, limit: number): Promise<Decision[]> =>
  readAll(
    db
      .selectFrom('decision')
      .selectAll()
      .where('status', '=', PENDING)
      .where('subject_type', '=', 'note')
      .where('expires_at', '<=', now)
      .orderBy('seq')
      .limit(limit),
    fromRow,
  )

function limitCaller(tx: Tx): void {
  const limit = currentCaller()?.approvalLimit
  const refusal = limit?.refusal()
  if (refusal) throw new RefusedError(refusal)
  afterCommit(tx, () => limit?.charge())
}

/** Part of the text: as a value, SQLite would prepare the statement again for each use, because of the index of what is pending. */
const PENDING = sql.lit<'pending'>('pending')

const NOTE = sql.lit<'note'>('note')

const countPending = compiledQuery((db) =>
  db
    .selectFrom('decision')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('status', '=', PENDING)
    .where('subject_type', '<>', NOTE),
)

const countPendingOf = compiledQuery((db, { name }: { readonly name: string }) =>
  db
    .selectFrom('decision')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('status', '=', PENDING)
    .where('subject_type', '<>', NOTE)
    .where('by_name', '=', name),
)

/** One key may use a part of the places only, so that the others can still ask the owner. */
async function requireBelowPendingMax(tx: Tx): Promise<void> {
  // Locks the row, so that two instances never both use the last free place.
  await incrementCounter(tx, 'decisions opened')
  const [counted] = (await countPending(tx, {})).rows
  if (!counted) throw new Error('the pending decisions were not counted')
  if (counted.waiting >= PENDING_DECISIONS_MAX)
    throw tooManyPending(`${PENDING_DECISIONS_MAX} decisions are already pending`, { limit: PENDING_DECISIONS_MAX })
  const by = currentCaller()?.by
  if (!by || isTokenHolder(by)) return
  const [own] = (await countPendingOf(tx, { name: by.name })).rows
  if (!own) throw new Error('the pending decisions of a key were not counted')
  if (own.waiting >= PENDING_DECISIONS_OF_KEY_MAX)
    throw tooManyPending(`${PENDING_DECISIONS_OF_KEY_MAX} decisions that ${by.name} asked for are already pending`, {
      limit: PENDING_DECISIONS_OF_KEY_MAX,
      person: by.name,
    })
}

const tooManyPending = (why: string, params: TextParams): RefusedError =>
  new RefusedError({
    messages: [error('too_many_pending', `${why}. Nothing was changed; resolve some of them first`, undefined, params)],
    retryAfter: (5 * MINUTE) / SECOND,
  })

/** For a purchase within the rules, so that every purchase has a decision. */
export const recordApproved = (ctx: WriteContext, tx: Tx, decision: NewDecision): Promise<DecisionId> =>
  insert(ctx, tx, decision, 'approved')

const insertRow = compiledQuery((db, row: Insertable<Columns<'decision'>>) =>
  db.insertInto('decision').values(row).returning('seq'),
)

async function insert(
  ctx: WriteContext,
  tx: Tx,
  decision: NewDecision,
  status: 'pending' | 'approved',
): Promise<DecisionId> {
  const { kind, summary, reasoning, subject } = decision
  const at = ctx.clock.now()
  const isResolved = status === 'approved'
  const row = {
    at,
    kind,
    summary,
    reasoning,
    ...toTextColumns(decision),
    subject_type: subject.type,
    subject_id: subject.id,
    status,
    resolved_at: isResolved ? at : null,
    resolved_by: isResolved ? SERVICE : null,
    resolved_role: null,
    evidence: evidenceText(decision.evidence),
    comment: null,
    ...questionColumns(decision.question),
    option: null,
    ...callerColumns(),
  }
  const [inserted] = (await insertRow(tx, row)).rows
  if (!inserted) throw new Error('an inserted decision has no seq')
  const id = decisionId(at, inserted.seq)
  chainDecision(ctx, tx, id, row)
  return id
}

const questionColumns = (question: NewDecision['question']) => ({
  options: question ? JSON.stringify(question.options) : null,
  about_type: (question?.about?.type as 'slot' | undefined) ?? null,
  about_id: question?.about?.id ?? null,
  expires_at: question?.expiresAt ?? null,
})

/** Enough to see why; a basket may break a rule with each of its lines. */
const EVIDENCE_MAX = 10

const evidenceText = (evidence: NewDecision['evidence'] = []): string | null =>
  evidence.length === 0 ? null : JSON.stringify(evidence.slice(0, EVIDENCE_MAX))

type Resolution = Pick<
  Selectable<Columns<'decision'>>,
  'seq' | 'at' | 'status' | 'resolved_at' | 'resolved_by' | 'resolved_role' | 'comment' | 'option'
>

const updatePending = compiledQuery((db, { seq, at, ...resolved }: Resolution) =>
  db
    .updateTable('decision')
    .set(resolved)
    .where((eb) => matchColumns(eb, { seq, at }))
    .where('status', '=', PENDING)
    .returningAll(),
)

/** Resolves a pending decision; false when another call did. */
export async function resolvePending(
  ctx: WriteContext,
  tx: Tx,
  id: DecisionId,
  resolution: {
    readonly status: 'approved' | 'rejected'
    readonly at: number
    readonly by: string | undefined
    readonly role?: PersonRole | undefined
    readonly comment?: string | undefined
    readonly option?: string | undefined
  },
): Promise<boolean> {
  const key = parseDecisionId(id)
  if (!key) return false
  const { status, at, by, role, comment, option } = resolution
  const resolved = {
    status,
    resolved_at: at,
    resolved_by: by ?? null,
    resolved_role: role ?? null,
    comment: comment ?? null,
    option: option ?? null,
  }
  const [row] = (await updatePending(tx, { ...key, ...resolved })).rows
  if (row) chainDecision(ctx, tx, id, row)
  return row !== undefined
}

/**
 * Withdraws the pending decisions about slots of a machine that was removed, found by the machine in their parameters: the
 * slot may be gone already, and its id does not show where the id of the machine ends.
 */
export async function withdrawDecisionsOfMachine(
  ctx: WriteContext,
  tx: Tx,
  location: string,
  why: string,
): Promise<void> {
  const rows = await tx
    .selectFrom('decision')
    .selectAll()
    .where((eb) => matchColumns(eb, { status: 'pending', subject_type: 'slot' }))
    .execute()
  for (const { id, params } of rows.map(fromRow))
    if (params?.['machine'] === location) await withdrawDecision(ctx, tx, id, why)
}

/** Closes a question that nobody answered in time; false when it was answered. */
export async function expireQuestion(ctx: WriteContext, tx: Tx, decision: Decision): Promise<boolean> {
  const at = ctx.clock.now()
  const [row] = await tx
    .updateTable('decision')
    .set({ status: NEXT.pending.withdraw, resolved_at: at, resolved_by: SERVICE, code: 'expired' })
    .where((eb) => matchColumns(eb, { seq: decision.seq, at: decision.at }))
    .where('status', '=', PENDING)
    .returningAll()
    .execute()
  if (!row) return false
  chainDecision(ctx, tx, decision.id, row)
  await recordEvent(ctx, tx, {
    kind: 'approval',
    code: 'question_expired',
    params: subjectParams(decision),
    summary: `${decision.id} was not answered in time: ${decision.summary}`,
    reasoning: decision.reasoning,
  })
  return true
}

/** Rejects a pending decision because its subject is gone or changed; false when it was resolved already. */
export async function withdrawDecision(ctx: WriteContext, tx: Tx, id: DecisionId, why: string): Promise<boolean> {
  const at = ctx.clock.now()
  if (!(await resolvePending(ctx, tx, id, { status: NEXT.pending.withdraw, at, by: SERVICE }))) return false
  const decision = await findDecision(tx, id)
  await recordEvent(ctx, tx, {
    kind: 'approval',
    code: 'decision_withdrawn',
    params: decision ? subjectParams(decision) : { decision: id },
    summary: `${id} withdrawn`,
    reasoning: why,
  })
  return true
}

const selectByKey = compiledQuery((db, { seq, at }: { seq: number; at: number }) =>
  db.selectFrom('decision').selectAll().where('seq', '=', seq).where('at', '=', at),
)

async function findRow(db: Queryable, id: string): Promise<Selectable<Columns<'decision'>> | undefined> {
  const key = parseDecisionId(id)
  return key && (await selectByKey(db, key)).rows[0]
}

export async function findDecision(db: Queryable, id: string): Promise<Decision | undefined> {
  const row = await findRow(db, id)
  return row && fromRow(row)
}

/** For the verification of the hash chain. */
export const chainedDecisions: ChainedRows = async (db, after, limit) => {
  const rows = await db
    .selectFrom('decision')
    .selectAll()
    .where('seq', '>', parseDecisionId(after ?? '')?.seq ?? 0)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    subject: decisionId(row.at, row.seq),
    facts: factsOf(row),
  }))
}

/** Those of the subjects that any decision is about. */
export const listDecidedSubjects = (
  db: Queryable,
  type: SubjectRef['type'],
  ids: readonly string[],
): Promise<readonly string[]> =>
  readAll(
    db.selectFrom('decision').select('subject_id').where('subject_type', '=', type).where('subject_id', 'in', ids),
    ({ subject_id }) => subject_id,
  )

export interface DecisionFilter {
  readonly status: ApprovalStatus | undefined
  readonly kind: DecisionKind | undefined
  /** Only what comes after this one in the list's order. */
  readonly after: number | undefined
  readonly limit: number
}

/** Pending decisions oldest first, all others newest first. */
export async function listDecisions(
  db: Queryable,
  { status, kind, after, limit }: DecisionFilter,
): Promise<Decision[]> {
  const isOldestFirst = status === 'pending'
  let query = db
    .selectFrom('decision')
    .selectAll()
    .orderBy('seq', isOldestFirst ? 'asc' : 'desc')
    .limit(limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (after !== undefined) query = query.where('seq', isOldestFirst ? '>' : '<', after)
  return (await query.execute()).map(fromRow)
}
