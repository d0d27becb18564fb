/**
 * Runs in the store. Every change of a run first increments one counter: on PostgreSQL its row is the lock between
 * instances, and a plan can tell from it whether runs changed meanwhile.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import { type Fen, fen } from '../../../kernel/fen.ts'
import type { LocationId, SkuId } from '../../../kernel/ids.ts'
import { incrementCounter, readCounter } from '../../../store/counter.ts'
import { byColumns, fromByColumns } from '../../../store/caller-columns.ts'
import { type Queryable, type Tx, changeRows, readAll } from '../../../store/store.ts'
import { matchColumns } from '../../../store/match-columns.ts'
import type { Columns } from '../../../store/schema.ts'
import type { DecisionId } from '../../../rules/approvals/index.ts'
import type { Service } from '../../../route/locations/index.ts'
import { chunk } from '../../../lib/concurrency.ts'
import {
  type EventLine,
  type FromStoreroom,
  type LinePlan,
  type Run,
  type RunEvent,
  type RunEventType,
  type RunLine,
  runIdAt,
  spendFen,
} from './run.ts'

const ROWS_AT_ONCE = 500
const VERSION = 'replenishment_version'

type StoredFields =
  | 'stops'
  | 'checkouts'
  | 'messages'
  | 'boxed'
  | 'roundedTo'
  | 'extraFen'
  | 'chargesFen'
  | 'approval'
  | 'canceled'
  | 'rejectedBecause'
  | 'purchasesEnded'
  | 'approvalNeed'
type StoredBody = Pick<Run, StoredFields>

type RunRow = Selectable<Columns<'replenishment_run'>>

const omitNull = <K extends string, V>(key: K, value: V | null): { [P in K]?: V } =>
  (value === null ? {} : { [key]: value }) as { [P in K]?: V }

export const fromLineRow = (row: Selectable<Columns<'run_line'>>): RunLine => ({
  n: row.n,
  location: row.location as LocationId,
  vendorSku: row.vendor_sku,
  slotId: row.slot_id,
  skuId: row.sku_id as SkuId,
  title: row.title,
  quantity: row.quantity,
  costFen: fen(row.cost_fen),
  costEstimated: row.cost_estimated === 1,
  ...omitNull('source', row.source as SkuId | null),
  ...omitNull('checkout', row.checkout),
  ...omitNull('removed', row.removed),
  ...omitNull('fromStoreroom', row.from_storeroom === null ? null : (JSON.parse(row.from_storeroom) as FromStoreroom)),
  ...omitNull('bought', row.bought),
  ...omitNull('delivered', row.delivered),
  ...omitNull('deliveredAt', row.delivered_at),
  ...omitNull('service', row.service),
  ...omitNull('bookedAt', row.booked_at),
  ...omitNull('plan', linePlanOf(row)),
})

const linePlanOf = ({
  stock,
  rate_hundredths: rate,
  cover_tenths: cover,
}: Selectable<Columns<'run_line'>>): LinePlan | null =>
  stock === null || rate === null
    ? null
    : { stock, dailyRate: rate / 100, daysOfCover: cover === null ? null : cover / 10 }

const toLineRow = (run: string, line: RunLine): Insertable<Columns<'run_line'>> => ({
  run,
  n: line.n,
  location: line.location,
  vendor_sku: line.vendorSku,
  slot_id: line.slotId,
  sku_id: line.skuId,
  title: line.title,
  quantity: line.quantity,
  cost_fen: line.costFen,
  cost_estimated: line.costEstimated ? 1 : 0,
  source: line.source ?? null,
  checkout: line.checkout ?? null,
  removed: line.removed ?? null,
  from_storeroom: line.fromStoreroom ? JSON.stringify(line.fromStoreroom) : null,
  bought: line.bought ?? null,
  delivered: line.delivered ?? null,
  delivered_at: line.deliveredAt ?? null,
  service: line.service ?? null,
  booked_at: line.bookedAt ?? null,
  stock: line.plan?.stock ?? null,
  rate_hundredths: line.plan ? Math.round(line.plan.dailyRate * 100) : null,
  cover_tenths: typeof line.plan?.daysOfCover === 'number' ? Math.round(line.plan.daysOfCover * 10) : null,
})

export const fromRow = (row: RunRow, lines: readonly RunLine[], events: readonly RunEvent[]): Run => ({
  id: row.id,
  createdAt: row.created_at,
  status: row.status,
  ...omitNull('placedAt', row.placed_at),
  ...omitNull('deliveredAt', row.delivered_at),
  ...omitNull('supplier', row.supplier),
  ...omitNull('decision', row.decision as DecisionId | null),
  ...omitNull('note', row.note),
  ...omitNull('by', fromByColumns(row) ?? null),
  strategyVersion: row.strategy_version,
  ...(JSON.parse(row.body) as StoredBody),
  lines,
  events,
})

const bodyOf = (body: StoredBody): string => {
  const {
    stops,
    checkouts,
    messages,
    boxed,
    roundedTo,
    extraFen,
    chargesFen,
    approval,
    canceled,
    rejectedBecause,
    purchasesEnded,
    approvalNeed,
  } = body
  return JSON.stringify({
    stops,
    checkouts,
    messages,
    boxed,
    roundedTo,
    extraFen,
    chargesFen,
    approval,
    canceled,
    rejectedBecause,
    purchasesEnded,
    approvalNeed,
  })
}

/** How many changes runs have had. */
export const readRunsVersion = (db: Queryable): Promise<number> => readCounter(db, VERSION)

/** First in every transaction that changes a run: locks the counter until the commit. Returns the version before. */
export const incrementRunsVersion = async (tx: Tx): Promise<number> => (await incrementCounter(tx, VERSION)) - 1

/** The id is the first free `run-<epoch ms>` from the creation time on. */
export async function insertRun(tx: Tx, run: Omit<Run, 'id' | 'events'>): Promise<Run> {
  for (let ms = run.createdAt; ; ms++) {
    const id = runIdAt(ms)
    const isInserted = await changeRows(
      tx
        .insertInto('replenishment_run')
        .values({
          id,
          created_at: run.createdAt,
          status: run.status,
          placed_at: null,
          delivered_at: null,
          supplier: null,
          decision: null,
          strategy_version: run.strategyVersion,
          line_count: run.lines.length,
          delivered_units: null,
          note: null,
          placement_intent: null,
          body: bodyOf(run),
          ...byColumns(),
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
    if (!isInserted) continue
    for (const part of chunk(run.lines, ROWS_AT_ONCE))
      await tx
        .insertInto('run_line')
        .values(part.map((line) => toLineRow(id, line)))
        .execute()
    return { ...run, id, events: [], ...omitNull('by', fromByColumns(byColumns()) ?? null) }
  }
}

/** Under the lock of `incrementRunsVersion`, so that no number is used twice. */
export async function appendRunEvent(
  tx: Tx,
  run: string,
  type: RunEventType,
  occurredAt: number,
  lines?: readonly EventLine[],
): Promise<void> {
  const { last } = await tx
    .selectFrom('run_event')
    .select((eb) => eb.fn.max('n').as('last'))
    .where('run', '=', run)
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('run_event')
    .values({
      run,
      n: (last ?? 0) + 1,
      type,
      occurred_at: occurredAt,
      lines: lines ? JSON.stringify(lines) : null,
      ...byColumns(),
    })
    .execute()
}

export interface RunChange extends Partial<Pick<Run, 'status' | 'placedAt' | 'supplier' | 'decision' | 'note'>> {
  /** Null: it is not delivered any more, because the receipt of a stop was undone. */
  readonly deliveredAt?: number | null
  readonly deliveredUnits?: number | null
  readonly body?: StoredBody
  /** Its placement is over, and brought nothing. */
  readonly placementIntent?: null
}

/** False when the run is no longer in the status it was read in. */
export async function updateRun(tx: Tx, id: string, from: RunStatus, change: RunChange): Promise<boolean> {
  const { status, placedAt, deliveredAt, deliveredUnits, supplier, decision, note, body, placementIntent } = change
  return changeRows(
    tx
      .updateTable('replenishment_run')
      .set({
        status: status ?? from,
        ...(placedAt === undefined ? {} : { placed_at: placedAt }),
        ...(deliveredAt === undefined ? {} : { delivered_at: deliveredAt }),
        ...(deliveredUnits === undefined ? {} : { delivered_units: deliveredUnits }),
        ...(supplier === undefined ? {} : { supplier }),
        ...(decision === undefined ? {} : { decision }),
        ...(note === undefined ? {} : { note }),
        ...(body === undefined ? {} : { body: bodyOf(body) }),
        ...(placementIntent === undefined ? {} : { placement_intent: placementIntent }),
      })
      .where('id', '=', id)
      .where('status', '=', from),
  )
}

/** Lines of runs that the owner was asked about and that are not placed yet. */
export const listAskedLines = (db: Queryable, since: number): Promise<RunLine[]> =>
  readAll(
    db
      .selectFrom('run_line')
      .innerJoin('replenishment_run as asked', 'asked.id', 'run_line.run')
      .selectAll('run_line')
      .where('asked.status', 'in', ['pending_approval', 'approved'])
      .where('asked.created_at', '>=', since)
      .where('asked.decision', 'is not', null)
      .where('run_line.from_storeroom', 'is not', null),
    fromLineRow,
  )

type PlacedLine = Pick<RunLine, 'n' | 'source' | 'checkout' | 'removed' | 'fromStoreroom' | 'bought'>

/** One statement for many rows; both databases name the columns of a VALUES list column1, column2 … */
export async function writePlacedLines(tx: Tx, run: string, lines: readonly PlacedLine[]): Promise<void> {
  for (const part of chunk(lines, ROWS_AT_ONCE)) {
    const values = part.map(
      ({ n, source, checkout, removed, fromStoreroom, bought }) =>
        sql`(cast(${n} as bigint), cast(${source ?? null} as text), cast(${checkout ?? null} as text), cast(${removed ?? null} as text), cast(${fromStoreroom ? JSON.stringify(fromStoreroom) : null} as text), cast(${bought ?? null} as bigint))`,
    )
    await sql`update run_line set source = given.column2, checkout = given.column3, removed = given.column4,
      from_storeroom = given.column5, bought = given.column6
      from (values ${sql.join(values)}) as given
      where run_line.run = ${run} and run_line.n = given.column1`.execute(tx)
  }
}

/** Marks the lines of a stop as received. A line without an entry in `deliveredByLine` brought nothing. */
export async function writeDelivered(
  tx: Tx,
  run: string,
  lines: readonly Pick<RunLine, 'n'>[],
  deliveredByLine: ReadonlyMap<number, number>,
  { at, bookedAt, id: service }: Pick<Service, 'at' | 'bookedAt' | 'id'>,
): Promise<void> {
  for (const part of chunk(lines, ROWS_AT_ONCE))
    await tx
      .updateTable('run_line')
      .set({ delivered_at: at, service, booked_at: bookedAt })
      .where('run', '=', run)
      .where(
        'n',
        'in',
        part.map(({ n }) => n),
      )
      .execute()
  for (const part of chunk([...deliveredByLine], ROWS_AT_ONCE)) {
    const values = part.map(([n, quantity]) => sql`(cast(${n} as bigint), cast(${quantity} as bigint))`)
    await sql`update run_line set delivered = given.column2
      from (values ${sql.join(values)}) as given
      where run_line.run = ${run} and run_line.n = given.column1`.execute(tx)
  }
}

/** Undoes the receipt of a stop. */
export async function clearDelivered(tx: Tx, run: string, service: string): Promise<void> {
  await tx
    .updateTable('run_line')
    .set({ delivered: null, delivered_at: null, service: null, booked_at: null })
    .where((eb) => matchColumns(eb, { run, service }))
    .execute()
}

export async function findRun(db: Queryable, id: string): Promise<Run | undefined> {
  const row = await db.selectFrom('replenishment_run').selectAll().where('id', '=', id).executeTakeFirst()
  return row && (await loadLines(db, [row]))[0]
}

/** The cost of each run that was placed with the simulated supplier since then: they have no purchases. */
export async function listSimulatedCostsSince(db: Queryable, since: number): Promise<Fen[]> {
  const runs = db.selectFrom('replenishment_run').selectAll().where('supplier', '=', 'simulated')
  return (await loadLines(db, await runs.where('placed_at', '>=', since).execute())).map(spendFen)
}

/** For a run that was just written in the same transaction. */
export async function getRun(tx: Tx, id: string): Promise<Run> {
  const run = await findRun(tx, id)
  if (!run) throw new Error(`${id} is missing in the transaction that wrote it`)
  return run
}

async function loadLines(db: Queryable, rows: readonly RunRow[]): Promise<Run[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const lineRows = await db.selectFrom('run_line').selectAll().where('run', 'in', ids).orderBy('n').execute()
  const eventRows = await db.selectFrom('run_event').selectAll().where('run', 'in', ids).orderBy('n').execute()
  const lines = Map.groupBy(lineRows, ({ run }) => run)
  const events = Map.groupBy(eventRows, ({ run }) => run)
  return rows.map((row) =>
    fromRow(
      row,
      (lines.get(row.id) ?? []).map(fromLineRow),
      (events.get(row.id) ?? []).map((event) => ({
        n: event.n,
        type: event.type,
        occurredAt: event.occurred_at,
        ...(event.lines === null ? {} : { lines: JSON.parse(event.lines) as EventLine[] }),
        ...omitNull('by', fromByColumns(event) ?? null),
      })),
    ),
  )
}

/** Open runs that are looked through, and their lines. */
const OPEN_MAX = 50
const OPEN_LINES_MAX = 20_000

/** Placed and not received yet, the oldest first. */
export async function listOpenRuns(db: Queryable): Promise<Run[]> {
  const filter = { status: 'placed', after: undefined, limit: OPEN_MAX, lines: OPEN_LINES_MAX } as const
  return (await listRuns(db, filter)).runs.toReversed()
}

export interface RunFilter {
  readonly status: RunStatus | undefined
  /** The last run of the page before. */
  readonly after: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
  /** A page of large runs ends early: at most this many lines, but always one run. */
  readonly lines: number
}

/** Newest first, except runs that wait for approval: those oldest first. */
export async function listRuns(db: Queryable, filter: RunFilter): Promise<{ runs: Run[]; hasMore: boolean }> {
  const { status, after, limit, lines } = filter
  const [order, beyond] = status === 'pending_approval' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  let query = db
    .selectFrom('replenishment_run')
    .selectAll()
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit + 1)
  if (status !== undefined) query = query.where('status', '=', status)
  if (after)
    query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), beyond, eb.tuple(after.createdAt, after.id)))
  const rows = await query.execute()
  let total = 0
  const page = rows.slice(0, limit).filter(({ line_count }, i) => (total += line_count) <= lines || i === 0)
  return { runs: await loadLines(db, page), hasMore: page.length < rows.length }
}
