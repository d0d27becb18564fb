/**
 * The schedule of status checks: sessions whose supplier may have an order that we do not know of, and when the supplier
 * is asked next. Due times are stored, so that they survive restarts and all instances share them. A wrong clock shifts
 * them by one interval at most.
 */
import { isColumnDue } from '../../../store/due-rows.ts'
import { sql } from 'kysely'
import { HOUR, MINUTE } from '../../../kernel/clock.ts'
import { type Queryable, readAll } from '../../../store/store.ts'
import type { Session } from '../session.ts'

export interface PendingOrder {
  readonly checkout: string
  readonly vendor: string
  /** Between the previous status check and this one. */
  readonly intervalMs: number
  readonly checksMade: number
}

/** How long the checks go on while the supplier has no order. It is a sum of intervals, so a clock change cannot shorten it. */
const CHECKED_FOR_MS = 48 * HOUR
const LONGEST_INTERVAL_IN_PROGRESS_MS = 5 * MINUTE
const LONGEST_INTERVAL_MS = HOUR
/** After this many doublings any time-out exceeds the longest interval. */
const DOUBLINGS_MAX = 20

/** From the check that is due to the one after it. A session in progress is checked more often. */
export const intervalAfter = (
  { status }: Pick<Session, 'status'>,
  checksMade: number,
  firstIntervalMs: number,
): number =>
  Math.min(
    firstIntervalMs * 2 ** Math.min(checksMade, DOUBLINGS_MAX),
    Math.max(
      firstIntervalMs,
      status === 'complete_in_progress' ? LONGEST_INTERVAL_IN_PROGRESS_MS : LONGEST_INTERVAL_MS,
    ),
  )

const nextTurn = sql<number>`(select coalesce(max(turn), 0) + 1 from pending_order)`

/** Starts the schedule, or restarts it after another attempt. */
export async function scheduleStatusChecks(
  db: Queryable,
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
  now: number,
  firstIntervalMs: number,
): Promise<void> {
  const schedule = { check_at: now + firstIntervalMs, interval_ms: firstIntervalMs, checks_made: 0, covered_ms: 0 }
  await db
    .insertInto('pending_order')
    .values({ checkout: id, vendor, ...schedule, turn: nextTurn })
    .onConflict((conflict) => conflict.column('checkout').doUpdateSet(schedule))
    .execute()
}

export async function endStatusChecks(db: Queryable, checkout: string): Promise<void> {
  await db.deleteFrom('pending_order').where('checkout', '=', checkout).execute()
}

const isDue = (now: number) => isColumnDue('check_at', now, { column: 'interval_ms' })

export const listSuppliersWithDueChecks = (db: Queryable, now: number): Promise<string[]> =>
  readAll(db.selectFrom('pending_order').select('vendor').distinct().where(isDue(now)), ({ vendor }) => vendor)

/** Least recently checked first. */
export const listDueOrders = (db: Queryable, vendor: string, now: number, limit: number): Promise<PendingOrder[]> =>
  readAll(
    db
      .selectFrom('pending_order')
      .selectAll()
      .where('vendor', '=', vendor)
      .where(isDue(now))
      .orderBy('turn')
      .orderBy('checkout')
      .limit(limit),
    (row) => ({
      checkout: row.checkout,
      vendor: row.vendor,
      intervalMs: row.interval_ms,
      checksMade: row.checks_made,
    }),
  )

/** Before the supplier is asked, so that the check is not repeated at once if the process dies. */
export async function recordStatusCheck(
  db: Queryable,
  { checkout, checksMade }: PendingOrder,
  now: number,
  intervalMs: number,
): Promise<void> {
  await db
    .updateTable('pending_order')
    .set({ check_at: now + intervalMs, interval_ms: intervalMs, checks_made: checksMade + 1, turn: nextTurn })
    .where('checkout', '=', checkout)
    .execute()
}

/** The supplier has no order, so the interval before this check counts. After the last one the schedule ends. */
export async function recordNotFound(db: Queryable, { checkout, checksMade, intervalMs }: PendingOrder): Promise<void> {
  await db
    .updateTable('pending_order')
    .set((eb) => ({ covered_ms: eb('covered_ms', '+', intervalMs) }))
    .where('checkout', '=', checkout)
    // Unless a new attempt restarted the schedule.
    .where('checks_made', '=', checksMade + 1)
    .execute()
  await db
    .deleteFrom('pending_order')
    .where('checkout', '=', checkout)
    .where('covered_ms', '>=', CHECKED_FOR_MS)
    .execute()
}

/** Sessions in progress without a schedule: the call is running, or its process died. */
export async function listUnscheduledSessions(db: Queryable, limit: number): Promise<Pick<Session, 'id' | 'vendor'>[]> {
  const rows = await db
    .selectFrom('checkout')
    .leftJoin('pending_order', 'pending_order.checkout', 'checkout.id')
    .select(['checkout.id', 'checkout.vendor'])
    .where('checkout.status', '=', 'complete_in_progress')
    .where('pending_order.checkout', 'is', null)
    .limit(limit)
    .execute()
  return rows as Pick<Session, 'id' | 'vendor'>[]
}
