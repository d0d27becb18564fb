/** Sessions in the store. Every write names the version it was made from: of two, one wins and the other looks again. */
import { sql } from 'kysely'
import type { Insertable, Selectable } from 'kysely'
import type { CheckoutStatus } from '../../contract/checkout.ts'
import type { Buyer } from '../../contract/common.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Message } from '../../kernel/message.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { compiledQuery, hasAffectedRows } from '../../store/compiled-query.ts'
import type { CheckoutTable } from '../../store/tables/checkout.ts'
import type { DecisionId } from '../approvals/index.ts'
import type { Line, Method, Session } from './session.ts'

/** The columns and members of the database keep their first names; the code uses those of `Session`. */
interface Body {
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  readonly buyer?: Buyer
  readonly dropped: readonly Message[]
  readonly notices: readonly Message[]
}

function toRow(session: Session): Insertable<CheckoutTable> {
  const { lines, methods, buyer, unavailableLines, findings } = session
  const body: Body = { lines, methods, ...(buyer ? { buyer } : {}), dropped: unavailableLines, notices: findings }
  return {
    id: session.id,
    version: session.version,
    status: session.status,
    vendor: session.vendor,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    assessed_at: session.assessedAt,
    total_fen: session.totalFen,
    fingerprint: session.createRequestHash,
    basket: session.orderHash,
    decision: session.decision ?? null,
    approved_basket: session.approvedOrderHash ?? null,
    approved_total_fen: session.approvedTotalFen ?? null,
    attempt: session.attempt,
    unknown_since: session.unresolved?.since ?? null,
    unknown_text: session.unresolved?.text ?? null,
    sent: session.orderMayExist ? 1 : 0,
    closed_as: session.closed?.as ?? null,
    closed_at: session.closed?.at ?? null,
    label: session.supplierOrderNo ?? null,
    body: JSON.stringify(body),
  }
}

function fromRow(row: Selectable<CheckoutTable>): Session {
  const { dropped, notices, ...body } = JSON.parse(row.body) as Body
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    vendor: row.vendor as Namespace,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    assessedAt: row.assessed_at,
    createRequestHash: row.fingerprint,
    ...body,
    unavailableLines: dropped,
    findings: notices,
    totalFen: fen(row.total_fen),
    orderHash: row.basket,
    ...(row.decision === null ? {} : { decision: row.decision as DecisionId }),
    ...(row.approved_basket === null ? {} : { approvedOrderHash: row.approved_basket }),
    ...(row.approved_total_fen === null ? {} : { approvedTotalFen: fen(row.approved_total_fen) }),
    attempt: row.attempt,
    ...(row.unknown_since === null ? {} : { unresolved: { since: row.unknown_since, text: row.unknown_text ?? '' } }),
    orderMayExist: row.sent === 1,
    ...(row.closed_as === null ? {} : { closed: { as: row.closed_as, at: row.closed_at ?? 0 } }),
    ...(row.label === null ? {} : { supplierOrderNo: row.label }),
  }
}

const selectById = compiledQuery((db, { id }: { id: string }) =>
  db.selectFrom('checkout').selectAll().where('id', '=', id),
)

export async function findSession(db: Queryable, id: string): Promise<Session | undefined> {
  const [row] = (await selectById(db, { id })).rows
  return row && fromRow(row)
}

const insert = compiledQuery((db, row: Insertable<CheckoutTable>) =>
  db
    .insertInto('checkout')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** False when the id is taken. */
export const insertSession = async (tx: Tx, session: Session): Promise<boolean> =>
  hasAffectedRows(await insert(tx, toRow(session)))

type Changed = Omit<Insertable<CheckoutTable>, 'created_at'> & { readonly was: number }

const update = compiledQuery((db, { id, was, ...columns }: Changed) =>
  db.updateTable('checkout').set(columns).where('id', '=', id).where('version', '=', was),
)

/** The session as it now is, or undefined when it changed since `session.version` was read. */
export async function saveSession(tx: Tx, session: Session): Promise<Session | undefined> {
  const next = { ...session, version: session.version + 1 }
  const { created_at: _, ...row } = toRow(next)
  return hasAffectedRows(await update(tx, { ...row, was: session.version })) ? next : undefined
}

const claim = compiledQuery(
  (db, { id, was, version, attempt }: { id: string; was: number; version: number; attempt: number }) =>
    db
      .updateTable('checkout')
      .set({ status: 'complete_in_progress', version, attempt })
      .where('id', '=', id)
      .where('version', '=', was),
)

/** The same for the one who is about to buy: only the state and the number of the attempt move. */
export async function claimSession(tx: Tx, session: Session): Promise<Session | undefined> {
  const { id, version: was, attempt } = session
  const next: Session = { ...session, status: 'complete_in_progress', version: was + 1, attempt: attempt + 1 }
  return hasAffectedRows(await claim(tx, { id, was, version: next.version, attempt: next.attempt })) ? next : undefined
}

/** In the transaction that saved the session: nobody else has seen that version yet. */
export async function setDecision(tx: Tx, session: Session, decision: DecisionId): Promise<Session> {
  await tx.updateTable('checkout').set({ decision }).where('id', '=', session.id).execute()
  return { ...session, decision }
}

/** The next number of a local day; unique over all instances, for the row is locked until the transaction ends. */
export async function nextOrderNumber(tx: Tx, day: string): Promise<number> {
  const [counted] = (await nextCount(tx, { name: `po:${day}` })).rows
  if (!counted) throw new Error('the counter gave no number')
  return counted.value
}

const nextCount = compiledQuery((db, { name }: { name: string }) =>
  db
    .insertInto('counter')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((at) => ({ value: at('counter.value', '+', 1) })))
    .returning('value'),
)

/** The last number handed out for a day; 0 when there was none. */
export async function lastOrderNumber(db: Queryable, day: string): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', `po:${day}`).executeTakeFirst()
  return row?.value ?? 0
}

const OWN_NUMBER = /^po_(\d{8})_(\d{1,9})$/

/** A number found in use is not handed out again. */
export async function raiseCounter(tx: Tx, id: string): Promise<void> {
  const [, day, seq] = OWN_NUMBER.exec(id) ?? []
  if (day === undefined) return
  const [name, value] = [`po:${day}`, Number(seq)]
  await tx
    .insertInto('counter')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }).where('counter.value', '<', value))
    .execute()
}

/** Numbers of sessions opened in this time that never tried to buy, newest first. */
export async function unattemptedSessions(
  db: Queryable,
  vendor: string,
  { from, until }: { readonly from: number; readonly until: number },
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('checkout')
    .select('id')
    .where('vendor', '=', vendor)
    .where('attempt', '=', 0)
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Oldest first. */
export async function overdueSessions(db: Queryable, now: number, limit: number): Promise<Session[]> {
  const rows = await db
    .selectFrom('checkout')
    .selectAll()
    // Written out as in the index, so that both databases use it.
    .where(sql<boolean>`status in ('incomplete', 'requires_escalation', 'ready_for_complete')`)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}

export interface SessionFilter {
  readonly status?: CheckoutStatus | undefined
  readonly vendor?: string | undefined
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

/** Newest first. */
export async function listSessions(
  db: Queryable,
  { status, vendor, before, limit }: SessionFilter,
): Promise<Session[]> {
  let query = db.selectFrom('checkout').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (vendor !== undefined) query = query.where('vendor', '=', vendor)
  if (before)
    query = query.where((at) => at(at.refTuple('created_at', 'id'), '<', at.tuple(before.createdAt, before.id)))
  return (await query.execute()).map(fromRow)
}

/** All of them, a bite at a time. */
export async function sessionsAfter(db: Queryable, id: string, limit: number): Promise<Session[]> {
  const rows = await db.selectFrom('checkout').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
  return rows.map(fromRow)
}

export async function findSessions(db: Queryable, ids: readonly string[]): Promise<Session[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('checkout').selectAll().where('id', 'in', ids).orderBy('id').execute()).map(fromRow)
}
