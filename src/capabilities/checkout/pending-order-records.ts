/**
 * Sessions whose supplier may have an order that we do not know of, and when it is asked next. Due times are stored, so
 * that they survive restarts and all instances share them. A wrong clock shifts them by one interval at most.
 */
import { sql } from 'kysely'
import { HOUR, MINUTE } from '../../kernel/clock.ts'
import type { Queryable } from '../../store/store.ts'
import type { Session } from './session.ts'

export interface PendingOrder {
  readonly checkout: string
  readonly vendor: string
  /** Between the previous question and this one. */
  readonly intervalMs: number
  readonly asks: number
}

/** How long a supplier without the order is asked again, as the sum of answered intervals: a clock change cannot shorten it. */
const ASKED_FOR_MS = 48 * HOUR
const LONGEST_IN_PROGRESS_MS = 5 * MINUTE
const LONGEST_MS = HOUR
/** Enough to reach the longest interval from any time-out. */
const DOUBLINGS = 20

/** The interval after question number `asks` + 1. A session in progress is asked about more often. */
export const intervalAfter = ({ status }: Pick<Session, 'status'>, asks: number, firstMs: number): number =>
  Math.min(
    firstMs * 2 ** Math.min(asks, DOUBLINGS),
    Math.max(firstMs, status === 'complete_in_progress' ? LONGEST_IN_PROGRESS_MS : LONGEST_MS),
  )

const nextTurn = sql<number>`(select coalesce(max(turn), 0) + 1 from pending_order)`

/** Starts the schedule, or restarts it after another attempt. */
export async function scheduleStatusChecks(
  db: Queryable,
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
  now: number,
  firstMs: number,
): Promise<void> {
  const schedule = { ask_at: now + firstMs, interval_ms: firstMs, asks: 0, covered_ms: 0 }
  await db
    .insertInto('pending_order')
    .values({ checkout: id, vendor, ...schedule, turn: nextTurn })
    .onConflict((conflict) => conflict.column('checkout').doUpdateSet(schedule))
    .execute()
}

export async function endStatusChecks(db: Queryable, checkout: string): Promise<void> {
  await db.deleteFrom('pending_order').where('checkout', '=', checkout).execute()
}

const isDue = (now: number) => sql<boolean>`(ask_at <= ${now} or ask_at > ${now} + interval_ms)`

export async function suppliersToAsk(db: Queryable, now: number): Promise<string[]> {
  const rows = await db.selectFrom('pending_order').select('vendor').distinct().where(isDue(now)).execute()
  return rows.map(({ vendor }) => vendor)
}

/** Least recently asked first. */
export async function dueOrders(db: Queryable, vendor: string, now: number, limit: number): Promise<PendingOrder[]> {
  const rows = await db
    .selectFrom('pending_order')
    .selectAll()
    .where('vendor', '=', vendor)
    .where(isDue(now))
    .orderBy('turn')
    .orderBy('checkout')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    checkout: row.checkout,
    vendor: row.vendor,
    intervalMs: row.interval_ms,
    asks: row.asks,
  }))
}

/** Before the question is sent, so that it is not repeated at once if the process dies. */
export async function recordStatusCheck(
  db: Queryable,
  { checkout, asks }: PendingOrder,
  now: number,
  intervalMs: number,
): Promise<void> {
  await db
    .updateTable('pending_order')
    .set({ ask_at: now + intervalMs, interval_ms: intervalMs, asks: asks + 1, turn: nextTurn })
    .where('checkout', '=', checkout)
    .execute()
}

/** The supplier has no order, so the interval before the question counts. After the last one the schedule ends. */
export async function recordNotFound(db: Queryable, { checkout, asks, intervalMs }: PendingOrder): Promise<void> {
  await db
    .updateTable('pending_order')
    .set((at) => ({ covered_ms: at('covered_ms', '+', intervalMs) }))
    .where('checkout', '=', checkout)
    // Unless a new attempt restarted the schedule.
    .where('asks', '=', asks + 1)
    .execute()
  await db
    .deleteFrom('pending_order')
    .where('checkout', '=', checkout)
    .where('covered_ms', '>=', ASKED_FOR_MS)
    .execute()
}

/** Sessions in progress without a schedule: the call is running, or its process died. */
export async function unscheduledSessions(db: Queryable, limit: number): Promise<Pick<Session, 'id' | 'vendor'>[]> {
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
