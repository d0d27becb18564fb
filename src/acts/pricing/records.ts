/** Price changes in the store. */
import { isColumnDue } from '../../store/due-rows.ts'
import type { Selectable } from 'kysely'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { HOUR } from '../../kernel/clock.ts'
import { callerColumns } from '../../store/caller-columns.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import type { Decision, DecisionId } from '../../rules/approvals/index.ts'
import { type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import type { WriteContext } from '../../context.ts'
import { isNoChange } from './change.ts'
import type { PriceLine } from './price-line.ts'

/**
 * - `waiting`    waiting for the owner
 * - `approved`   to be executed, by whichever comes first: the approval itself, a resent request, the job
 * - `executing`  the intent is stored, the machine is being called
 * - `unknown`    the machine was called and gave no clear answer: it is read back until the outcome is certain
 * - `done`       executed; its approval is used up
 * - `failed`     not or only partly executed; an approved one is tried again when it is resent
 * - `closed`     rejected, withdrawn or replaced by other prices
 */
export type PriceChangeStatus = Columns<'price_change'>['status']

const fromRow = (row: Selectable<Columns<'price_change'>>) => ({
  seq: row.seq,
  location: row.location,
  namespace: row.namespace as Namespace,
  requestHash: row.request_hash,
  lines: JSON.parse(row.lines) as readonly PriceLine[],
  decision: (row.decision ?? undefined) as DecisionId | undefined,
  status: row.status,
  attempts: row.attempts,
  createdAt: row.created_at,
  /** How many of the lines were last reported as in effect. */
  applied: row.applied,
  /** The products that this change changed on the machine; undefined: none, or not recorded. */
  appliedSkus: row.applied_skus === null ? undefined : (JSON.parse(row.applied_skus) as readonly SkuId[]),
  appliedAt: row.applied_at ?? undefined,
})

export type PriceChange = Readonly<ReturnType<typeof fromRow>>

const selectChanges = (db: Queryable) => db.selectFrom('price_change').selectAll()

/** Nothing is ever due further ahead than this. */
const LONGEST_WAIT_MS = 6 * HOUR
const CHANGES_BESIDE_MAX = 200

/** How a decision names the change it is about. */
export const subjectIdOf = (seq: number): string => `price-change-${seq}`
const seqOf = (subjectId: string): number => Number(subjectId.slice('price-change-'.length))

const factsOf = (row: Selectable<Columns<'price_change'>>): Facts => ({
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
    readFacts: (db) => readFirst(selectChanges(db).where('seq', '=', seq), factsOf),
  })

/** For the verification of the hash chain. */
export const chainedPrices: ChainedRows = (db, after, limit) =>
  readAll(
    selectChanges(db)
      .where('seq', '>', after === undefined ? 0 : seqOf(after))
      .orderBy('seq')
      .limit(limit),
    (row) => ({ subject: subjectIdOf(row.seq), facts: factsOf(row) }),
  )

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
      request_hash: change.requestHash,
      lines: JSON.stringify(change.lines),
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
  /** How many lines this move reports as in effect. */
  readonly applied?: number
  /** What the change has changed on the machine so far, where this move reports more of it. */
  readonly changed?: { readonly skuIds: readonly SkuId[]; readonly at: number }
}

const movedColumns = ({ status, dueAt, applied, changed }: Move) => ({
  status,
  ...(dueAt === undefined ? {} : { due_at: dueAt }),
  ...(applied === undefined ? {} : { applied }),
  ...(changed === undefined ? {} : { applied_skus: JSON.stringify(changed.skuIds), applied_at: changed.at }),
})

/** With what was changed before; undefined when this adds nothing. */
export function withChanged(
  { appliedSkus = [] }: PriceChange,
  lines: readonly PriceLine[],
  at: number,
): NonNullable<Move['changed']> | undefined {
  const added = lines.map(({ skuId }) => skuId).filter((skuId) => !appliedSkus.includes(skuId))
  return added.length === 0 ? undefined : { skuIds: [...appliedSkus, ...added], at }
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
  const isMoved = await changeRows(
    tx
      .updateTable('price_change')
      .set((eb) => ({
        ...movedColumns(to),
        ...(to.attempt ? { attempts: eb('attempts', '+', 1), applied: 0 } : {}),
      }))
      .where('seq', '=', seq)
      .where('status', 'in', from)
      .$if(attempts !== undefined, (query) => query.where('attempts', '=', attempts ?? 0)),
  )
  if (isMoved) chainPriceChange(ctx, tx, seq)
  return isMoved
}

/** Records what the machine shows of a change; false when the change was modified since it was read. */
export async function recordSeen(ctx: WriteContext, tx: Tx, seen: PriceChange, to: Move): Promise<boolean> {
  const { seq, status, attempts, applied } = seen
  const isMoved = await changeRows(
    tx
      .updateTable('price_change')
      .set(movedColumns(to))
      .where((eb) => matchColumns(eb, { seq, status, attempts, applied })),
  )
  if (isMoved && to.status !== seen.status) chainPriceChange(ctx, tx, seen.seq)
  return isMoved
}

export const findChange = (db: Queryable, seq: number): Promise<PriceChange | undefined> =>
  readFirst(selectChanges(db).where('seq', '=', seq), fromRow)

export const findChangeOf = (db: Queryable, { subject }: Pick<Decision, 'subject'>): Promise<PriceChange | undefined> =>
  findChange(db, seqOf(subject.id))

export function findChangesOf(db: Queryable, decisions: readonly Pick<Decision, 'subject'>[]): Promise<PriceChange[]> {
  const seqs = decisions.map(({ subject }) => seqOf(subject.id))
  return readAll(selectChanges(db).where('seq', 'in', seqs), fromRow)
}

/** The newest approval request for the same change that is neither used up nor closed. */
export const findOpenApprovalRequest = (db: Queryable, requestHash: string): Promise<PriceChange | undefined> =>
  readFirst(
    selectChanges(db)
      .where('request_hash', '=', requestHash)
      .where('decision', 'is not', null)
      .where('status', 'in', ['waiting', 'approved', 'executing', 'unknown', 'failed'])
      .orderBy('seq', 'desc')
      .limit(1),
    fromRow,
  )

/** Approved and not executed, or interrupted; the longest due first. */
export const listDueChanges = (db: Queryable, now: number, limit: number): Promise<PriceChange[]> =>
  readAll(
    selectChanges(db)
      .where('status', 'in', ['approved', 'executing'])
      .where(isColumnDue('due_at', now, LONGEST_WAIT_MS))
      .orderBy('due_at')
      .orderBy('seq')
      .limit(limit),
    fromRow,
  )

/** Of a machine, oldest first. */
const changesAt = (db: Queryable, location: string) => selectChanges(db).where('location', '=', location).orderBy('seq')

/** Changes of a machine that were started and whose outcome is not certain, oldest first. */
export const listOpenChanges = (db: Queryable, location: string): Promise<PriceChange[]> =>
  readAll(changesAt(db, location).where('status', 'in', ['executing', 'unknown']), fromRow)

/** Other changes of the same machine that may have set prices since this one was requested, the last applied first. */
export const listChangesBeside = async (
  db: Queryable,
  { location, seq, createdAt }: PriceChange,
): Promise<PriceChange[]> => {
  const found = await readAll(
    selectChanges(db)
      .where('location', '=', location)
      .where('seq', '!=', seq)
      .where((eb) => eb.or([eb('applied_at', '>=', createdAt), eb('seq', '>', seq)]))
      .where('status', 'in', ['approved', 'executing', 'unknown', 'done', 'failed'])
      .orderBy('seq', 'desc')
      .limit(CHANGES_BESIDE_MAX),
    fromRow,
  )
  return found.toSorted((a, b) => (b.appliedAt ?? b.createdAt) - (a.appliedAt ?? a.createdAt) || b.seq - a.seq)
}

/** The lines that a change changed on the machine. Rows of older versions only say so of whole changes. */
export function changedLines({ status, lines, appliedSkus }: PriceChange): readonly PriceLine[] {
  if (appliedSkus) return lines.filter(({ skuId }) => appliedSkus.includes(skuId))
  return status === 'done' ? lines.filter((line) => !isNoChange(line)) : []
}

export interface AppliedPrices {
  readonly at: number
  readonly lines: readonly PriceLine[]
}

/** What changes of a machine changed since this time, oldest first; also those that were applied in part. */
export const listAppliedPricesSince = async (
  db: Queryable,
  location: string,
  since: number,
): Promise<readonly AppliedPrices[]> => {
  const changes = await readAll(
    changesAt(db, location).where((eb) => eb.or([eb('created_at', '>', since), eb('applied_at', '>', since)])),
    fromRow,
  )
  return changes
    .map((change) => ({ at: change.appliedAt ?? change.createdAt, lines: changedLines(change) }))
    .filter(({ lines }) => lines.length > 0)
    .toSorted((a, b) => a.at - b.at)
}

/** Changes of a machine requested since this time, oldest first. */
export const listChangesSince = (db: Queryable, location: string, since: number): Promise<PriceChange[]> =>
  readAll(changesAt(db, location).where('created_at', '>', since), fromRow)

/** Changes of a machine that were requested up to this time and sent after it: sending one sets when it is due again. */
export const listChangesSentLate = (
  db: Queryable,
  location: string,
  requestedUntil: number,
  dueAfter: number,
): Promise<PriceChange[]> =>
  readAll(
    changesAt(db, location)
      .where('created_at', '<=', requestedUntil)
      .where('due_at', '>', dueAfter)
      .where('attempts', '>', 0),
    fromRow,
  )

/** Waiting, being sent, or sent without a clear answer. */
export async function hasOpenChangesOf(db: Queryable, namespace: Namespace): Promise<boolean> {
  const row = await db
    .selectFrom('price_change')
    .select('seq')
    .where('namespace', '=', namespace)
    .where('status', 'in', ['waiting', 'approved', 'executing', 'unknown'])
    .executeTakeFirst()
  return row !== undefined
}
