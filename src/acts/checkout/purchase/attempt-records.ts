/** Attempts to complete in the store: the intent, written before the supplier is called, and the outcome. */
import { hash } from 'node:crypto'
import { callerKey, currentCaller } from '../../../kernel/caller.ts'
import { type Fen, fen } from '../../../kernel/fen.ts'
import { callerColumns, fromByColumns } from '../../../store/caller-columns.ts'
import { type Queryable, type Tx, changeRows, readAll } from '../../../store/store.ts'
import { matchColumns } from '../../../store/match-columns.ts'
import { compiledQuery } from '../../../store/compiled-query.ts'
import type { Columns } from '../../../store/schema.ts'
import type { SupplyTotals } from '../../../vendors/supply-vendor.ts'
import type { Insertable, Selectable } from 'kysely'
import { type ChainedRows, type Facts, chainChange } from '../../../record/hash-chain/index.ts'
import type { WriteContext } from '../../../context.ts'
import type { OrderContents } from '../basket/basket.ts'
import type { Line, Method, Session } from '../session.ts'
import { type AttemptOutcome, mayHaveOrder, mayHaveReachedSupplier } from './outcomes.ts'

/** Why the purchase was allowed when the attempt was claimed. */
export interface Authority {
  readonly withinRules: boolean
  /** The owner's decision about this basket, if the rules alone did not allow it. */
  readonly decision?: string
  /** Who booked it on the server from the supplier's records (`vendops audit --repair`). */
  readonly repairedBy?: string
  readonly evidence: string
}

export interface Intent {
  /** Absent only for an order booked from the supplier's records, which have no lines. */
  readonly order?: OrderContents
  readonly lines: readonly Line[]
  readonly methods: readonly Method[]
  /** What the rules or the owner allowed; the order must not cost more. */
  readonly totalFen: Fen
  /** As the supplier quoted them. */
  readonly totals?: SupplyTotals
  readonly orderHash: string
  readonly authority: Authority
}

export type Attempt = Readonly<ReturnType<typeof fromRow>>

function fromRow(row: Selectable<Columns<'checkout_attempt'>>) {
  const intent = JSON.parse(row.intent) as Intent
  return {
    checkout: row.checkout,
    attemptNo: row.attempt_no,
    claimedAt: row.claimed_at,
    supplier: row.supplier ?? undefined,
    intent: { ...intent, totalFen: fen(intent.totalFen) },
    outcome: row.outcome ?? undefined,
    text: row.outcome_text ?? undefined,
    /** Our own guard denied it before anything was sent. */
    denied: row.denied ?? undefined,
    event: row.event ?? undefined,
    /** The agent and the person whose request claimed it. */
    agent: row.agent ?? undefined,
    by: fromByColumns(row),
    /** It was recorded as not placed by somebody who may approve, so it counts towards no limit. */
    freesBudget: row.frees_budget === 1,
  }
}

const insert = compiledQuery((db, row: Insertable<Columns<'checkout_attempt'>>) =>
  db.insertInto('checkout_attempt').values(row),
)

type AttemptKey = Pick<Columns<'checkout_attempt'>, 'checkout' | 'attempt_no'>

/** How the hash chain names an attempt. */
const subjectOf = ({ checkout, attempt_no: attemptNo }: AttemptKey): string => `${checkout}#${attemptNo}`

type ChainedColumns = Omit<Selectable<Columns<'checkout_attempt'>>, 'request_id' | 'event'>

/** With the columns that the limits per day and week add up. */
const factsOf = (row: ChainedColumns): Facts => ({
  claimed_at: row.claimed_at,
  // What was to be ordered is long; its hash is enough to notice a change.
  intent_sha256: hash('sha256', row.intent, 'hex'),
  outcome: row.outcome,
  outcome_text: row.outcome_text,
  denied: row.denied,
  settled_at: row.settled_at,
  by_name: row.by_name,
  by_role: row.by_role,
  supplier: row.supplier,
  buyer_key: row.buyer_key,
  total_fen: row.total_fen,
  frees_budget: row.frees_budget,
  agent: row.agent,
})

/** The row as it was just written: until the commit, only this transaction can change it. */
const chainAttempt = (ctx: WriteContext, tx: Tx, row: ChainedColumns): void =>
  chainChange(ctx, tx, { kind: 'attempt', subject: subjectOf(row), readFacts: async () => factsOf(row) })

/** Without an outcome yet. */
export async function insertAttempt(
  ctx: WriteContext,
  tx: Tx,
  { id: checkout, vendor }: Pick<Session, 'id' | 'vendor'>,
  attemptNo: number,
  claimedAt: number,
  intent: Intent,
): Promise<Attempt> {
  const unsettledColumns = { outcome: null, outcome_text: null, denied: null, settled_at: null, event: null }
  const row = {
    checkout,
    attempt_no: attemptNo,
    claimed_at: claimedAt,
    intent: JSON.stringify(intent),
    supplier: vendor,
    buyer_key: callerKey() ?? null,
    total_fen: intent.totalFen,
    frees_budget: 0,
    ...unsettledColumns,
    ...callerColumns(),
  }
  await insert(tx, row)
  chainAttempt(ctx, tx, row)
  const unsettled = { outcome: undefined, text: undefined, denied: undefined, event: undefined }
  const { agent, by } = currentCaller() ?? {}
  return { checkout, attemptNo, claimedAt, supplier: vendor, intent, ...unsettled, agent, by, freesBudget: false }
}

const select = compiledQuery((db, key: AttemptKey) =>
  db
    .selectFrom('checkout_attempt')
    .selectAll()
    .where((eb) => matchColumns(eb, key)),
)

export async function findAttempt(db: Queryable, checkout: string, attemptNo: number): Promise<Attempt | undefined> {
  const [row] = (await select(db, { checkout, attempt_no: attemptNo })).rows
  return row && fromRow(row)
}

/** An attempt that a person says was not placed stops counting; false when it is settled otherwise, or was freed before. */
export const freeBudget = (tx: Tx, checkout: string, attemptNo: number): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('checkout_attempt')
      .set({ frees_budget: 1 })
      .where((eb) => matchColumns(eb, { checkout, attempt_no: attemptNo, outcome: 'not_placed' }))
      .where('frees_budget', '=', 0),
  )

type SettledColumns = Pick<
  Selectable<Columns<'checkout_attempt'>>,
  'outcome' | 'outcome_text' | 'denied' | 'settled_at' | 'event' | 'frees_budget'
>

const update = compiledQuery((db, { checkout, attempt_no, ...settled }: SettledColumns & AttemptKey) =>
  db
    .updateTable('checkout_attempt')
    .set(settled)
    .where((eb) => matchColumns(eb, { checkout, attempt_no }))
    .returningAll(),
)

export interface AttemptEnd extends Partial<Pick<Attempt, 'denied' | 'freesBudget'>> {
  readonly outcome: AttemptOutcome
}

export async function updateAttempt(
  ctx: WriteContext,
  tx: Tx,
  checkout: string,
  attemptNo: number,
  end: AttemptEnd & { readonly text: string; readonly at: number; readonly event: number },
): Promise<void> {
  const settled = {
    outcome: end.outcome,
    outcome_text: end.text,
    denied: end.denied ?? null,
    settled_at: end.at,
    event: end.event,
    frees_budget: end.freesBudget ? 1 : 0,
  }
  const [row] = (await update(tx, { checkout, attempt_no: attemptNo, ...settled })).rows
  if (row) chainAttempt(ctx, tx, row)
}

/** The attempt that a found order belongs to: the last one that was not refused, otherwise the last one that was sent. */
export async function findAttemptOfOrder(tx: Tx, checkout: string): Promise<Attempt | undefined> {
  const attempts = await listAttempts(tx, [checkout])
  return attempts.findLast(mayHaveOrder) ?? attempts.findLast(mayHaveReachedSupplier) ?? attempts.at(-1)
}

export async function listAttempts(db: Queryable, checkouts: readonly string[]): Promise<Attempt[]> {
  if (checkouts.length === 0) return []
  return readAll(
    db
      .selectFrom('checkout_attempt')
      .selectAll()
      .where('checkout', 'in', checkouts)
      .orderBy('checkout')
      .orderBy('attempt_no'),
    fromRow,
  )
}

/** There should be none. */
export const listAttemptsWithoutSession = (db: Queryable, limit: number): Promise<string[]> =>
  readAll(
    db
      .selectFrom('checkout_attempt')
      .leftJoin('checkout', 'checkout.id', 'checkout_attempt.checkout')
      .select('checkout_attempt.checkout')
      .distinct()
      .where('checkout.id', 'is', null)
      .limit(limit),
    ({ checkout }) => checkout,
  )

/** For the verification of the hash chain. */
export const chainedAttempts: ChainedRows = async (db, after, limit) => {
  const at = after?.lastIndexOf('#') ?? -1
  const [checkout, n] = after === undefined ? ['', 0] : [after.slice(0, at), Number(after.slice(at + 1))]
  const rows = await db
    .selectFrom('checkout_attempt')
    .selectAll()
    .where((eb) => eb(eb.refTuple('checkout', 'attempt_no'), '>', eb.tuple(checkout, n)))
    .orderBy('checkout')
    .orderBy('attempt_no')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    subject: subjectOf(row),
    facts: factsOf(row),
  }))
}
