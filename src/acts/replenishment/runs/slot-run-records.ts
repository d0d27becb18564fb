/** What runs say about slots and stops: ordered, in transit, delivered; and the lead time and review days they show. */
import type { SkuId } from '../../../kernel/ids.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { type Queryable, readAll, readFirst } from '../../../store/store.ts'
import { bringsNothing, findSessions } from '../../checkout/index.ts'
import { type RunRecord, leadTime, reviewDays } from '../planner/demand/lead-time.ts'
import type { LeadTime } from '../planner/input.ts'
import type { PlacementIntent } from './place/intent-records.ts'
import { type FromStoreroom, type Run, type RunCheckout, activeLines } from './run.ts'
import { otherRunInfo } from './texts.ts'
import { type Unbought, loadUnbought, NOTHING_UNBOUGHT } from './purchases/unbought-records.ts'

/** Far more deliveries than the lead time is measured from. */
const DELIVERIES_MAX = 1000
/** As many as the planner measures the days between runs from. */
const RUNS_MEASURED = 6

/**
 * Run lines that may still be delivered: a checkout session that was canceled before it was sent delivers nothing. Of
 * these `runs` all lines that were ordered.
 */
const selectDeliverableLines = (db: Queryable, runs: readonly string[] = []) =>
  db
    .selectFrom('replenishment_run')
    .innerJoin('run_line', 'run_line.run', 'replenishment_run.id')
    .leftJoin('checkout', 'checkout.id', 'run_line.checkout')
    .where('run_line.removed', 'is', null)
    .where((eb) =>
      eb.or([
        eb('checkout.id', 'is', null),
        eb('checkout.status', '<>', 'canceled'),
        eb('checkout.order_may_exist', '=', 1),
        ...(runs.length === 0 ? [] : [eb('replenishment_run.id', 'in', runs)]),
      ]),
    )

/** The open runs of these machines, and those delivered since. */
export async function loadSlotRuns(
  db: Queryable,
  locations: readonly string[],
  since: number,
  unbought: Unbought = NOTHING_UNBOUGHT,
) {
  const found = await selectDeliverableLines(db, unbought.runs)
    .select([
      'replenishment_run.id',
      'run_line.n',
      'replenishment_run.status',
      'replenishment_run.placed_at',
      'run_line.slot_id',
      'run_line.quantity',
      'run_line.delivered',
      'run_line.delivered_at as received_at',
      'run_line.cost_fen',
      'run_line.cost_estimated',
    ])
    .where('run_line.location', 'in', locations)
    .where((eb) =>
      eb.or([
        eb('replenishment_run.status', 'in', ['pending_approval', 'approved', 'placed']),
        eb.and([eb('replenishment_run.status', '=', 'delivered'), eb('replenishment_run.delivered_at', '>=', since)]),
      ]),
    )
    .orderBy('replenishment_run.created_at')
    .orderBy('replenishment_run.id')
    .execute()
  const rows =
    unbought.runs.length === 0
      ? found
      : found.filter(({ id, n, received_at }) => received_at !== null || !unbought.has(id, n))
  const pending = rows.filter(({ status }) => status === 'pending_approval' || status === 'approved')
  /** By slot id: the runs, not placed yet, that cover it, oldest first. They reserve nothing: each may still be placed. */
  const pendingRuns = new Map(
    [...Map.groupBy(pending, ({ slot_id }) => slot_id)].map(([slotId, lines]) => [slotId, lines.map(({ id }) => id)]),
  )
  /** By slot id: what one unit cost when it was last ordered, where a supplier's price was known. */
  const paidCosts = new Map(
    rows.flatMap(({ status, slot_id, cost_fen, cost_estimated }) =>
      (status === 'placed' || status === 'delivered') && cost_fen > 0 && !cost_estimated ? [[slot_id, cost_fen]] : [],
    ),
  )
  // A run is received stop by stop: what was received counts as delivered then, the rest as in transit.
  const runs = [...Map.groupBy(rows, ({ id, received_at }) => `${id} ${received_at}`).values()].map(
    (lines): RunRecord => {
      const { status, placed_at, received_at } = lines[0]!
      return {
        status: received_at === null ? status : 'delivered',
        placedAt: placed_at,
        deliveredAt: received_at,
        lines: lines.map(({ slot_id, quantity }) => ({ slotId: slot_id, quantity })),
        delivered: lines.flatMap(({ slot_id, delivered }) =>
          delivered === null ? [] : [{ slotId: slot_id, quantity: delivered }],
        ),
      }
    },
  )
  return { runs, pendingRuns, paidCosts }
}

/** By slot of a machine: the supply product that its last delivery brought; of several the one with the most units. */
export async function findLastLoaded(db: Queryable, location: string): Promise<ReadonlyMap<string, SkuId>> {
  const rows = await db
    .selectFrom('run_line')
    .select(['slot_id', 'source', 'from_storeroom', 'quantity'])
    .where('location', '=', location)
    .where('delivered', '>', 0)
    .where('run', 'in', (runs) =>
      runs
        .selectFrom('replenishment_run')
        .select('id')
        .where('status', 'in', ['placed', 'delivered'])
        .orderBy('created_at', 'desc')
        .limit(DELIVERIES_MAX),
    )
    .orderBy('delivered_at')
    .execute()
  return new Map(
    rows.flatMap(({ slot_id, source, from_storeroom, quantity }) => {
      const given = (from_storeroom === null ? [] : Object.entries(JSON.parse(from_storeroom) as FromStoreroom)) as [
        SkuId,
        number,
      ][]
      const stored = given.reduce((sum, [, units]) => sum + units, 0)
      const bought = source === null ? [] : [[source as SkuId, quantity - stored] as const]
      const [most] = [...given, ...bought].toSorted((a, b) => b[1] - a[1])
      return most ? [[slot_id, most[0]]] : []
    }),
  )
}

/**
 * Slots of these machines for which another run has ordered, received since, or is about to order: ordering for them
 * again would pay twice.
 */
export async function findSlotsOrderedSince(
  db: Queryable,
  run: string,
  locations: readonly string[],
  since: number,
): Promise<ReadonlySet<string>> {
  const rejected = await findRejectedWithPurchases(db)
  const unbought = await loadUnbought(db)
  const rows = await selectDeliverableLines(db, unbought.runs)
    .select(['run_line.run', 'run_line.n', 'run_line.slot_id', 'run_line.delivered_at'])
    .where('replenishment_run.id', '<>', run)
    .where((eb) =>
      eb.or([
        eb.and([eb('replenishment_run.status', '=', 'placed'), eb('run_line.delivered_at', 'is', null)]),
        eb.and([
          eb('replenishment_run.status', 'in', ['placed', 'delivered']),
          eb('replenishment_run.placed_at', '>', since),
        ]),
        eb.and([
          eb('replenishment_run.status', 'not in', ['placed', 'delivered']),
          eb('replenishment_run.placement_intent', 'is not', null),
          eb.or([
            eb('replenishment_run.status', '<>', 'rejected'),
            ...(rejected.length === 0 ? [] : [eb('replenishment_run.id', 'in', rejected)]),
          ]),
        ]),
      ]),
    )
    .where('run_line.location', 'in', locations)
    .execute()
  const ordered = rows.filter((row) => row.delivered_at !== null || !unbought.has(row.run, row.n))
  return new Set(ordered.map(({ slot_id }) => slot_id))
}

/** A rejected run opens no more purchases, but one that its interrupted placement opened may still be completed. */
async function findRejectedWithPurchases(db: Queryable): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('replenishment_run')
    .select(['id', 'placement_intent'])
    .where('status', '=', 'rejected')
    .where('placement_intent', 'is not', null)
    .execute()
  const purchases = rows.flatMap(({ id: run, placement_intent: intent }) =>
    (JSON.parse(intent!) as PlacementIntent).requests.map(({ body }) => ({ run, id: body.id })),
  )
  const sessions = await findSessions(
    db,
    purchases.map(({ id }) => id),
  )
  const live = new Set(sessions.flatMap((session) => (bringsNothing(session) ? [] : [session.id])))
  return [...new Set(purchases.flatMap(({ run, id }) => (live.has(id) ? [run] : [])))]
}

/** The lines of a run that were delivered or may still be, by their numbers. */
export async function findDeliverableNumbers(db: Queryable, run: string): Promise<ReadonlySet<number>> {
  const rows = await selectDeliverableLines(db).select('run_line.n').where('run_line.run', '=', run).execute()
  return new Set(rows.map(({ n }) => n))
}

/** The machines of a run where something may still be delivered. */
export const listOpenStops = (db: Queryable, run: string): Promise<readonly string[]> =>
  readAll(
    selectDeliverableLines(db)
      .select('run_line.location')
      .distinct()
      .where('run_line.run', '=', run)
      .where('run_line.delivered_at', 'is', null),
    ({ location }) => location,
  )

export async function measureLeadTime(db: Queryable, statedDays: number, now: number): Promise<LeadTime> {
  const rows = await db
    .selectFrom('replenishment_run')
    .select(['placed_at', 'delivered_at', 'delivered_units'])
    .where('status', '=', 'delivered')
    .orderBy('created_at', 'desc')
    .limit(DELIVERIES_MAX)
    .execute()
  const runs = rows.map(({ placed_at, delivered_at, delivered_units }): RunRecord => ({
    status: 'delivered',
    placedAt: placed_at,
    deliveredAt: delivered_at,
    lines: [],
    delivered: [{ slotId: '', quantity: delivered_units ?? 0 }],
  }))
  return leadTime(runs, statedDays, now)
}

/** Usual days between two requests for a run, also for runs that were canceled or rejected. */
export async function measureReviewDays(db: Queryable): Promise<number> {
  const rows = await db
    .selectFrom('replenishment_run')
    .select('created_at')
    .orderBy('created_at', 'desc')
    .limit(RUNS_MEASURED)
    .execute()
  return reviewDays(rows.map(({ created_at }) => created_at))
}

/** Runs that may still be placed. */
const OPEN = ['pending_approval', 'approved'] as const

/**
 * For each of these runs that may still be placed: the other such runs that cover slots of it, oldest first. Read with the
 * run, because it is true only while both are open.
 */
export async function findOverlaps(db: Queryable, runs: readonly Run[]): Promise<ReadonlyMap<string, NoteMessage[]>> {
  const open = runs.filter(({ status }) => OPEN.some((each) => each === status))
  if (open.length === 0) return new Map()
  const rows = await db
    .selectFrom('replenishment_run')
    .innerJoin('run_line', 'run_line.run', 'replenishment_run.id')
    .select(['run_line.run', 'run_line.slot_id'])
    .where('replenishment_run.status', 'in', OPEN)
    .where('run_line.removed', 'is', null)
    .orderBy('replenishment_run.created_at')
    .orderBy('replenishment_run.id')
    .orderBy('run_line.n')
    .execute()
  const linesOf = Map.groupBy(rows, ({ run }) => run)
  return new Map(
    open.map(({ id, lines }) => {
      const own = new Set(activeLines(lines).map(({ slotId }) => slotId))
      const messages = [...linesOf].flatMap(([other, covered]) => {
        const shared = other === id ? [] : covered.flatMap(({ slot_id }) => (own.has(slot_id) ? [slot_id] : []))
        return shared.length === 0 ? [] : [otherRunInfo(other, shared)]
      })
      return [id, messages]
    }),
  )
}

/** The purchases of runs that are placed and not received. */
export async function listPlacedCheckouts(db: Queryable): Promise<readonly RunCheckout[]> {
  const placed = await db
    .selectFrom('replenishment_run')
    .select('body')
    .where('status', '=', 'placed')
    .where('placement_intent', 'is not', null)
    .execute()
  return placed.flatMap(({ body }) => (JSON.parse(body) as Pick<Run, 'checkouts'>).checkouts)
}

/** The run that a purchase belongs to, also where it was placed only in part. */
export const findRunOfCheckout = (db: Queryable, checkout: string): Promise<string | undefined> =>
  readFirst(db.selectFrom('run_line').select('run').where('checkout', '=', checkout).limit(1), ({ run }) => run)

/** The placed runs with lines that these purchases have yet to bring. */
export const listRunsAwaiting = async (db: Queryable, checkouts: readonly string[]): Promise<readonly string[]> =>
  checkouts.length === 0
    ? []
    : readAll(
        db
          .selectFrom('run_line')
          .innerJoin('replenishment_run', 'replenishment_run.id', 'run_line.run')
          .select('run_line.run')
          .distinct()
          .where('replenishment_run.status', '=', 'placed')
          .where('run_line.checkout', 'in', checkouts)
          .where('run_line.removed', 'is', null)
          .where('run_line.delivered_at', 'is', null),
        ({ run }) => run,
      )
