/** Price changes in the store: one that waits for the owner, one on its way to the machine, and what became of it. */
import type { Selectable } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import { changed } from '../../store/db.ts'
import type { Queryable, Tx } from '../../store/db.ts'
import type { PriceChangeTable } from '../../store/tables/approvals.ts'
import type { Decision, DecisionId } from '../approvals/records.ts'
import type { PriceLine } from './change.ts'

/**
 * - `waiting`    the owner is asked
 * - `approved`   to be carried out, by whoever comes first: the approval itself, a resent request, the job
 * - `executing`  the intent is on disk, the machine is being called
 * - `done`       carried out; an approval is thereby used up
 * - `failed`     not or only partly carried out; an approved one is tried again when it is resent
 * - `closed`     rejected, withdrawn or overtaken by other prices
 */
export type PriceChangeStatus = PriceChangeTable['status']

export interface PriceChange {
  readonly seq: number
  readonly location: string
  readonly namespace: Namespace
  readonly fingerprint: string
  readonly lines: readonly PriceLine[]
  readonly decision: DecisionId | undefined
  readonly status: PriceChangeStatus
  readonly attempts: number
}

const fromRow = (row: Selectable<PriceChangeTable>): PriceChange => ({
  seq: row.seq,
  location: row.location,
  namespace: row.namespace as Namespace,
  fingerprint: row.fingerprint,
  lines: JSON.parse(row.lines) as PriceLine[],
  decision: (row.decision ?? undefined) as DecisionId | undefined,
  status: row.status,
  attempts: row.attempts,
})

/** How a decision names the change it is about. */
export const subjectIdOf = (seq: number): string => `price-change-${seq}`
const seqOf = (subjectId: string): number => Number(subjectId.slice('price-change-'.length))

export interface NewPriceChange extends Pick<PriceChange, 'location' | 'namespace' | 'fingerprint' | 'lines'> {
  readonly status: 'waiting' | 'executing'
  readonly at: number
  readonly dueAt: number
}

export async function insertChange(db: Queryable, change: NewPriceChange): Promise<PriceChange> {
  const row = await db
    .insertInto('price_change')
    .values({
      created_at: change.at,
      location: change.location,
      namespace: change.namespace,
      fingerprint: change.fingerprint,
      lines: JSON.stringify(change.lines),
      decision: null,
      status: change.status,
      attempts: change.status === 'executing' ? 1 : 0,
      due_at: change.dueAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return fromRow(row)
}

export async function bindDecision(tx: Tx, seq: number, decision: DecisionId): Promise<void> {
  await tx.updateTable('price_change').set({ decision }).where('seq', '=', seq).execute()
}

/** Moves a change on, if it still stands where it was seen; `attempt` counts one more call of the machine. */
export async function moveChange(
  db: Queryable,
  seq: number,
  from: readonly PriceChangeStatus[],
  to: { readonly status: PriceChangeStatus; readonly dueAt?: number; readonly attempt?: true },
): Promise<boolean> {
  const moved = await db
    .updateTable('price_change')
    .set((at) => ({
      status: to.status,
      ...(to.dueAt === undefined ? {} : { due_at: to.dueAt }),
      ...(to.attempt ? { attempts: at('attempts', '+', 1) } : {}),
    }))
    .where('seq', '=', seq)
    .where('status', 'in', from)
    .executeTakeFirst()
  return changed(moved)
}

export async function findChange(db: Queryable, seq: number): Promise<PriceChange | undefined> {
  const row = await db.selectFrom('price_change').selectAll().where('seq', '=', seq).executeTakeFirst()
  return row && fromRow(row)
}

export const changeOf = (db: Queryable, { subject }: Pick<Decision, 'subject'>): Promise<PriceChange | undefined> =>
  findChange(db, seqOf(subject.id))

/** The newest asking for the same change that is neither used up nor closed. */
export async function openAsking(db: Queryable, fingerprint: string): Promise<PriceChange | undefined> {
  const row = await db
    .selectFrom('price_change')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .where('decision', 'is not', null)
    .where('status', 'in', ['waiting', 'approved', 'executing', 'failed'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** Approved and not carried out, or interrupted on the way. */
export async function dueChanges(db: Queryable, now: number, limit: number): Promise<readonly PriceChange[]> {
  const rows = await db
    .selectFrom('price_change')
    .selectAll()
    .where('status', 'in', ['approved', 'executing'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}
