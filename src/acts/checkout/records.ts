/** Checkout sessions in the store, with optimistic locking by `version`. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { CheckoutStatus } from '../../contract/shapes/checkout.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { type Queryable, type Store, type Tx, readAll } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import { ConflictError } from '../../lib/concurrency.ts'
import { watchedSubjects } from '../../effects/watch-records.ts'
import { compiledQuery, hasAffectedRows } from '../../store/compiled-query.ts'
import type { Columns } from '../../store/schema.ts'
import { type DecisionId, listDecidedSubjects } from '../../rules/approvals/index.ts'
import { findPurchases } from '../orders/index.ts'
import { listAttempts } from './purchase/attempt-records.ts'
import { DAY } from '../../kernel/clock.ts'
import type { RunApproval, Session } from './session.ts'

/** The members of a session that no query needs. */
type StoredFields =
  | 'lines'
  | 'methods'
  | 'buyer'
  | 'agent'
  | 'unavailableLines'
  | 'findings'
  | 'totals'
  | 'approvalNeed'
  | 'handoff'
  | 'sentDocument'
  | 'unconfirmedUntil'
  | 'rejectedBecause'
  | 'runApproval'

interface StoredBody extends Pick<Session, StoredFields> {
  /** Of `outcomeUnknown`. */
  readonly onlyPersonKnows?: true
}

function toRow(session: Session): Columns<'checkout'> {
  const { lines, methods, unavailableLines, findings } = session
  const { buyer, agent, totals, approvalNeed, handoff, unconfirmedUntil, rejectedBecause, runApproval } = session
  const { outcomeUnknown, closed } = session
  const body: StoredBody = {
    lines,
    methods,
    ...(buyer && { buyer }),
    ...(agent !== undefined && { agent }),
    unavailableLines,
    findings,
    ...(totals && { totals }),
    ...(approvalNeed && { approvalNeed }),
    ...(handoff && { handoff }),
    ...(session.sentDocument && { sentDocument: session.sentDocument }),
    ...(unconfirmedUntil !== undefined && { unconfirmedUntil }),
    ...(rejectedBecause !== undefined && { rejectedBecause }),
    ...(outcomeUnknown?.onlyPersonKnows && { onlyPersonKnows: true }),
    ...(runApproval && { runApproval }),
  }
  return {
    id: session.id,
    version: session.version,
    status: session.status,
    vendor: session.vendor,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    assessed_at: session.assessedAt,
    total_fen: session.totalFen,
    create_request_hash: session.createRequestHash,
    order_hash: session.orderHash,
    decision: session.decision ?? null,
    approved_order_hash: session.approvedOrderHash ?? null,
    approved_total_fen: session.approvedTotalFen ?? null,
    attempt_no: session.attemptNo,
    outcome_unknown_since: outcomeUnknown?.since ?? null,
    outcome_unknown_text: outcomeUnknown?.text ?? null,
    order_may_exist: session.orderMayExist ? 1 : 0,
    closed_as: closed?.as ?? null,
    closed_at: closed?.at ?? null,
    supplier_order_no: session.supplierOrderNo ?? null,
    body: JSON.stringify(body),
  }
}

function fromRow(row: Selectable<Columns<'checkout'>>): Session {
  const { onlyPersonKnows, ...body } = JSON.parse(row.body) as StoredBody
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    vendor: row.vendor as Namespace,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    assessedAt: row.assessed_at,
    createRequestHash: row.create_request_hash,
    ...body,
    totalFen: fen(row.total_fen),
    orderHash: row.order_hash,
    ...(row.decision === null ? {} : { decision: row.decision as DecisionId }),
    ...(row.approved_order_hash === null ? {} : { approvedOrderHash: row.approved_order_hash }),
    ...(row.approved_total_fen === null ? {} : { approvedTotalFen: fen(row.approved_total_fen) }),
    attemptNo: row.attempt_no,
    ...(row.outcome_unknown_since === null
      ? {}
      : {
          outcomeUnknown: {
            since: row.outcome_unknown_since,
            text: row.outcome_unknown_text ?? '',
            ...(onlyPersonKnows && { onlyPersonKnows }),
          },
        }),
    orderMayExist: row.order_may_exist === 1,
    ...(row.closed_as === null ? {} : { closed: { as: row.closed_as, at: row.closed_at ?? 0 } }),
    ...(row.supplier_order_no === null ? {} : { supplierOrderNo: row.supplier_order_no }),
  }
}

const selectById = compiledQuery((db, { id }: { id: string }) =>
  db.selectFrom('checkout').selectAll().where('id', '=', id),
)

export async function findSession(db: Queryable, id: string): Promise<Session | undefined> {
  const [row] = (await selectById(db, { id })).rows
  return row && fromRow(row)
}

const insert = compiledQuery((db, row: Insertable<Columns<'checkout'>>) =>
  db
    .insertInto('checkout')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** False when the id is taken. */
export const insertSession = async (tx: Tx, session: Session): Promise<boolean> =>
  hasAffectedRows(await insert(tx, toRow(session)))

type VersionedColumns<Column extends keyof Columns<'checkout'>> = Pick<
  Columns<'checkout'>,
  Column | 'id' | 'version' | 'status'
> & {
  readonly expectedVersion: number
}

/** These columns of a session that still has the version that was read. */
const updateVersion = <Column extends keyof Columns<'checkout'>>() =>
  compiledQuery((db, { id, expectedVersion, ...columns }: VersionedColumns<Column>) =>
    db
      .updateTable('checkout')
      .set(columns as Partial<Columns<'checkout'>>)
      .where('id', '=', id)
      .where('version', '=', expectedVersion),
  )

const update = updateVersion<Exclude<keyof Columns<'checkout'>, 'created_at'>>()
const claim = updateVersion<'attempt_no'>()
const updateApproved = updateVersion<'approved_order_hash' | 'approved_total_fen'>()

/** Returns the saved session. Throws a ConflictError when it changed since `session.version` was read. */
export async function saveSession(tx: Tx, session: Session): Promise<Session> {
  const next = { ...session, version: session.version + 1 }
  const { created_at: _, ...row } = toRow(next)
  if (!hasAffectedRows(await update(tx, { ...row, expectedVersion: session.version }))) throw new ConflictError()
  return next
}

/** Like `saveSession`, for a call that is about to buy: only status and attempt change. */
export async function claimSession(tx: Tx, session: Session): Promise<Session> {
  const { id, version: expectedVersion, attemptNo } = session
  const claimed = { status: 'complete_in_progress', version: expectedVersion + 1 } as const
  const next = attemptNo + 1
  if (!hasAffectedRows(await claim(tx, { id, expectedVersion, ...claimed, attempt_no: next })))
    throw new ConflictError()
  return { ...session, ...claimed, attemptNo: next }
}

/** Like `claimSession`, with the prices that fell since the session was shown. */
export const claimRepriced = (tx: Tx, session: Session): Promise<Session> =>
  saveSession(tx, { ...session, status: 'complete_in_progress', attemptNo: session.attemptNo + 1 })

/** Like `saveSession`, for a session that the owner approved: the basket stays as it is. */
export async function saveApproved(
  tx: Tx,
  { id, version, status, approvedOrderHash, approvedTotalFen }: Session,
): Promise<void> {
  const columns = {
    id,
    expectedVersion: version,
    version: version + 1,
    status,
    approved_order_hash: approvedOrderHash ?? null,
    approved_total_fen: approvedTotalFen ?? null,
  }
  if (!hasAffectedRows(await updateApproved(tx, columns))) throw new ConflictError()
}

const updateDecision = compiledQuery((db, { id, decision }: { id: string; decision: DecisionId }) =>
  db.updateTable('checkout').set({ decision }).where('id', '=', id),
)

/** In the transaction that saved the session, so that its version need not change again. */
export async function setDecision(tx: Tx, session: Session, decision: DecisionId): Promise<Session> {
  await updateDecision(tx, { id: session.id, decision })
  return { ...session, decision }
}

/** Ids of sessions created in this time without an attempt, newest first. */
export const listUnattemptedSessions = (
  db: Queryable,
  vendor: string,
  { from, until }: { readonly from: number; readonly until: number },
  limit: number,
): Promise<string[]> =>
  readAll(
    db
      .selectFrom('checkout')
      .select('id')
      .where((eb) => matchColumns(eb, { vendor, attempt_no: 0 }))
      .where('created_at', '>=', from)
      .where('created_at', '<', until)
      .orderBy('created_at', 'desc')
      .limit(limit),
    ({ id }) => id,
  )

const selectSessions = (db: Queryable) => db.selectFrom('checkout').selectAll()

/** Oldest first. */
export const listOverdueSessions = (db: Queryable, now: number, limit: number): Promise<Session[]> =>
  readAll(
    selectSessions(db)
      // Written out as in the index, so that both databases use it.
      .where(sql<boolean>`status in ('incomplete', 'requires_escalation', 'ready_for_complete')`)
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(limit),
    fromRow,
  )

/** Open sessions with a pickup time. They live for a day, so they are few. */
export const listOpenPickups = (db: Queryable): Promise<Session[]> =>
  readAll(
    selectSessions(db)
      .where(sql<boolean>`status in ('incomplete', 'requires_escalation', 'ready_for_complete')`)
      .where('body', 'like', '%"pickupAt":%'),
    fromRow,
  )

export interface SessionFilter {
  readonly status?: CheckoutStatus | undefined
  readonly vendor?: string | undefined
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

/** Newest first. */
export function listSessions(db: Queryable, { status, vendor, before, limit }: SessionFilter): Promise<Session[]> {
  let query = selectSessions(db).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (vendor !== undefined) query = query.where('vendor', '=', vendor)
  if (before)
    query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(before.createdAt, before.id)))
  return readAll(query, fromRow)
}

/** All sessions in batches, by id. */
export const listSessionsAfter = (db: Queryable, id: string, limit: number): Promise<Session[]> =>
  readAll(selectSessions(db).where('id', '>', id).orderBy('id').limit(limit), fromRow)

export const findSessions = async (db: Queryable, ids: readonly string[]): Promise<Session[]> =>
  ids.length === 0 ? [] : readAll(selectSessions(db).where('id', 'in', ids).orderBy('id'), fromRow)

/** Every session that the approval of one run covers, also those of an earlier placement of it. */
export const findSessionsOfRun = async (
  db: Queryable,
  { run, decision, until }: Pick<RunApproval, 'run' | 'decision' | 'until'>,
): Promise<Session[]> => {
  const found = await readAll(
    selectSessions(db)
      // An approval lasts for less; the bound only keeps the search short.
      .where('created_at', '>=', until - 30 * DAY)
      .where('body', 'like', `%"run":"${run}","decision":"${decision}"%`)
      .orderBy('id'),
    fromRow,
  )
  return found.filter(({ runApproval }) => runApproval?.decision === decision)
}

/**
 * Removes sessions that were closed before the instant and have no attempt, decision, purchase or run line.
 * Returns the id to continue after, or undefined at the end.
 */
export const removeOldDrafts = async (
  store: Store,
  before: number,
  after: string | undefined,
  limit: number,
): Promise<string | undefined> =>
  store.transaction(async (tx) => {
    const closed = await tx
      .selectFrom('checkout')
      .select(['id', 'decision', 'attempt_no'])
      .where('status', '=', 'canceled')
      .where('created_at', '<', before)
      .where('closed_at', '<', before)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute()
    const drafts = closed.filter((row) => row.decision === null && row.attempt_no === 0).map(({ id }) => id)
    if (drafts.length > 0) {
      const lines = await tx.selectFrom('run_line').select('checkout').where('checkout', 'in', drafts).execute()
      const referenced = new Set([
        ...(await listDecidedSubjects(tx, 'checkout', drafts)),
        ...(await findPurchases(tx, drafts)).map(({ id }) => id),
        ...(await listAttempts(tx, drafts)).map(({ checkout }) => checkout),
        ...lines.map(({ checkout }) => checkout),
      ])
      const removable = drafts.filter((id) => !referenced.has(id))
      if (removable.length > 0) await tx.deleteFrom('checkout').where('id', 'in', removable).execute()
    }
    return closed.length < limit ? undefined : closed.at(-1)?.id
  })

/** Sessions whose supplier must not go: drafts, and those that it may have an order of. Oldest first. */
export const listSessionsNeedingSupplier = (db: Queryable, vendor: Namespace, limit: number): Promise<string[]> =>
  readAll(
    db
      .selectFrom('checkout')
      .select('id')
      .where('vendor', '=', vendor)
      .where((eb) =>
        eb.or([eb('status', 'not in', ['completed', 'canceled']), eb('id', 'in', watchedSubjects(db, 'purchase'))]),
      )
      .orderBy('created_at')
      .limit(limit),
    ({ id }) => id,
  )

export async function hasSessions(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('checkout').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function hasSessionsOf(db: Queryable, vendor: Namespace): Promise<boolean> {
  const row = await db.selectFrom('checkout').select('id').where('vendor', '=', vendor).executeTakeFirst()
  return row !== undefined
}

/** Sessions in progress that are not watched. */
export const listUnwatchedSessions = (db: Queryable, limit: number): Promise<Pick<Session, 'id' | 'vendor'>[]> =>
  readAll(
    db
      .selectFrom('checkout')
      .select(['id', 'vendor'])
      .where('status', '=', 'complete_in_progress')
      .where('id', 'not in', watchedSubjects(db, 'purchase'))
      .limit(limit),
    ({ id, vendor }) => ({ id, vendor: vendor as Namespace }),
  )
