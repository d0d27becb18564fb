/** Price changes in the store. */
import type { Selectable } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import { HOUR } from '../../kernel/clock.ts'
import { callerColumns } from '../../store/caller-columns.ts'
import { type Queryable, type Tx, hasUpdatedRows } from '../../store/store.ts'
import type { PriceChangeTable } from '../../store/tables/pricing.ts'
import type { Decision, DecisionId } from '../approvals/index.ts'
import { type ChainedRows, type Facts, chainChange } from '../hash-chain/index.ts'
import type { WriteContext } from '../context.ts'
import type { PriceLine } from './change.ts'

/**
 * - `waiting`    waiting for the owner
 * - `approved`   to be executed, by whichever comes first: the approval itself, a resent request, the job
 * - `executing`  the intent is stored, the machine is being called
 * - `unresolved` the machine was called and gave no clear answer: it is read back until the outcome is certain
 * - `done`       executed; its approval is used up
 * - `failed`     not or only partly executed; an approved one is tried again when it is resent
 * - `closed`     rejected, withdrawn or replaced by other prices
 */
export type PriceChangeStatus = PriceChangeTable['status']

export interface PriceChange {
  readonly seq: number
  readonly location: string
  readonly namespace: Namespace
  readonly requestHash: string
  readonly lines: readonly PriceLine[]
  readonly decision: DecisionId | undefined
  readonly status: PriceChangeStatus
  readonly attempts: number
  readonly createdAt: number
  /** How often the machine was read back since the last attempt. */
  readonly checks: number
  /** How many of the lines were last reported as in effect. */
  readonly applied: number
}

const fromRow = (row: Selectable<PriceChangeTable>): PriceChange => ({
  seq: row.seq,
  location: row.location,
  namespace: row.namespace as Namespace,
  requestHash: row.fingerprint,
  lines: JSON.parse(row.lines) as PriceLine[],
  decision: (row.decision ?? undefined) as DecisionId | undefined,
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  checks: row.checks,
  applied: row.applied,
})

/** Nothing is ever due further ahead than this. A later time was stored before the clock was set back, so it is due now. */
const DUE_AHEAD_MAX_MS = 6 * HOUR
const LATER_CHANGES_MAX = 200

/** How a decision names the change it is about. */
export const subjectIdOf = (seq: number): string => `price-change-${seq}`
const seqOf = (subjectId: string): number => Number(subjectId.slice('price-change-'.length))

const factsOf = (row: Selectable<PriceChangeTable>): Facts => ({
  created_at: row.created_at,
  location: row.location,
  namespace: row.namespace,
  lines: row.lines,
  decision: row.decision,
  status: row.status,
  by_name: row.by_name,
  by_role: row.by_role,
})

const chainPriceChange = (ctx: WriteContext, tx: Tx, seq: number): void =>
  chainChange(ctx, tx, {
    kind: 'price_change',
    subject: subjectIdOf(seq),
    readFacts: async (db) => {
      const row = await db.selectFrom('price_change').selectAll().where('seq', '=', seq).executeTakeFirst()
      return row && factsOf(row)
    },
  })

/** For the verification of the hash chain. */
export const chainedPrices: ChainedRows = async (db, after, limit) => {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('seq', '>', after === undefined ? 0 : seqOf(after))
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ subject: subjectIdOf(row.seq), createdAt: row.created_at, facts: factsOf(row) }))
}

export interface NewPriceChange extends Pick<PriceChange, 'location' | 'namespace' | 'requestHash' | 'lines'> {
  readonly status: 'waiting' | 'executing'
  readonly at: number
  readonly dueAt: number
}

export async function insertChange(ctx: WriteContext, tx: Tx, change: NewPriceChange): Promise<PriceChange> {
  const row = await tx
    .insertInto('price_change')
    .values({
      created_at: change.at,
      location: change.location,
      namespace: change.namespace,
      fingerprint: change.requestHash,
      lines: JSON.stringify(change.lines),
      decision: null,
      status: change.status,
      attempts: change.status === 'executing' ? 1 : 0,
      due_at: change.dueAt,
      ...callerColumns(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  chainPriceChange(ctx, tx, row.seq)
  return fromRow(row)
}

export async function bindDecision(tx: Tx, seq: number, decision: DecisionId): Promise<void> {
  await tx.updateTable('price_change').set({ decision }).where('seq', '=', seq).execute()
}

export interface Move {
  readonly status: PriceChangeStatus
  readonly dueAt?: number
  /** Counts one more call of the machine. */
  readonly attempt?: true
  /** When the machine is read back next; without it, it is not. */
  readonly checkAt?: number
  /** How many lines this move reports as in effect. */
  readonly applied?: number
}

/** Changes the status, if it is still one of `from` and, where `attempts` is given, no other attempt was started since. */
export async function moveChange(
  ctx: WriteContext,
  tx: Tx,
  seq: number,
  from: readonly PriceChangeStatus[],
  to: Move,
  attempts?: number,
): Promise<boolean> {
  const moved = await tx
    .updateTable('price_change')
    .set((eb) => ({
      status: to.status,
      check_at: to.checkAt ?? null,
      ...(to.dueAt === undefined ? {} : { due_at: to.dueAt }),
      ...(to.applied === undefined ? {} : { applied: to.applied }),
      ...(to.attempt ? { attempts: eb('attempts', '+', 1), checks: 0, applied: 0 } : {}),
    }))
    .where('seq', '=', seq)
    .where('status', 'in', from)
    .$if(attempts !== undefined, (query) => query.where('attempts', '=', attempts ?? 0))
    .executeTakeFirst()
  if (hasUpdatedRows(moved)) chainPriceChange(ctx, tx, seq)
  return hasUpdatedRows(moved)
}

/** Records one reading of the machine and its result; false when the change was modified since it was read. */
export async function noteCheck(ctx: WriteContext, tx: Tx, seen: PriceChange, to: Move): Promise<boolean> {
  const moved = await tx
    .updateTable('price_change')
    .set({
      status: to.status,
      check_at: to.checkAt ?? null,
      checks: seen.checks + 1,
      ...(to.dueAt === undefined ? {} : { due_at: to.dueAt }),
      ...(to.applied === undefined ? {} : { applied: to.applied }),
    })
    .where('seq', '=', seen.seq)
    .where('status', '=', seen.status)
    .where('attempts', '=', seen.attempts)
    .where('checks', '=', seen.checks)
    .executeTakeFirst()
  if (hasUpdatedRows(moved) && to.status !== seen.status) chainPriceChange(ctx, tx, seen.seq)
  return hasUpdatedRows(moved)
}

export async function findChange(db: Queryable, seq: number): Promise<PriceChange | undefined> {
  const row = await db.selectFrom('price_change').selectAll().where('seq', '=', seq).executeTakeFirst()
  return row && fromRow(row)
}

export const changeOf = (db: Queryable, { subject }: Pick<Decision, 'subject'>): Promise<PriceChange | undefined> =>
  findChange(db, seqOf(subject.id))

export async function changesOf(
  db: Queryable,
  decisions: readonly Pick<Decision, 'subject'>[],
): Promise<PriceChange[]> {
  const seqs = decisions.map(({ subject }) => seqOf(subject.id))
  return (await db.selectFrom('price_change').selectAll().where('seq', 'in', seqs).execute()).map(fromRow)
}

/** The newest approval request for the same change that is neither used up nor closed. */
export async function openApprovalRequest(db: Queryable, requestHash: string): Promise<PriceChange | undefined> {
  const row = await db
    .selectFrom('price_change')
    .selectAll()
    .where('fingerprint', '=', requestHash)
    .where('decision', 'is not', null)
    .where('status', 'in', ['waiting', 'approved', 'executing', 'unresolved', 'failed'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** Approved and not executed, or interrupted. */
export async function dueChanges(db: Queryable, now: number, limit: number): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('status', 'in', ['approved', 'executing'])
    .where((eb) => eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + DUE_AHEAD_MAX_MS)]))
    .orderBy('due_at')
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}

/** Changes for which the machine is to be read back, the longest due first. */
export async function changesToCheck(db: Queryable, now: number, limit: number): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('check_at', 'is not', null)
    .where((eb) => eb.or([eb('check_at', '<=', now), eb('check_at', '>', now + DUE_AHEAD_MAX_MS)]))
    .orderBy('check_at')
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}

/** Changes of a machine that were started and whose outcome is not certain, oldest first. */
export async function openChangesOf(db: Queryable, location: string): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('location', '=', location)
    .where('status', 'in', ['executing', 'unresolved'])
    .orderBy('seq')
    .execute()
  return rows.map(fromRow)
}

/** Changes of the same machine that were executed after this one, newest first. */
export async function laterChanges(db: Queryable, { location, seq }: PriceChange): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('location', '=', location)
    .where('seq', '>', seq)
    .where('status', '=', 'done')
    .orderBy('seq', 'desc')
    .limit(LATER_CHANGES_MAX)
    .execute()
  return rows.map(fromRow)
}

/** Changes that reached the machine. */
export async function appliedChangesSince(
  db: Queryable,
  location: string,
  since: number,
): Promise<readonly PriceChange[]> {
  return (await changesSince(db, location, since)).filter(({ status }) => status === 'done')
}

/** Changes of a machine requested since this time, oldest first. */
export async function changesSince(db: Queryable, location: string, since: number): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('location', '=', location)
    .where('created_at', '>', since)
    .orderBy('seq')
    .execute()
  return rows.map(fromRow)
}

/** Changes of a machine that were requested up to this time and sent after it: sending one sets when it is due again. */
export async function changesSentLate(
  db: Queryable,
  location: string,
  requestedUntil: number,
  dueAfter: number,
): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('location', '=', location)
    .where('created_at', '<=', requestedUntil)
    .where('due_at', '>', dueAfter)
    .where('attempts', '>', 0)
    .orderBy('seq')
    .execute()
  return rows.map(fromRow)
}
