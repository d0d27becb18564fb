/** The status of the checkout sessions of runs. */
import type { CheckoutStatus } from '../../../contract/checkout.ts'
import type { Queryable } from '../../../store/store.ts'
import { findSessions, isOverdue } from '../../checkout/index.ts'
import type { Run } from './run.ts'

/** One query for all runs. An overdue session counts as canceled; checkout's own job writes that down later. */
export async function sessionStatuses(
  db: Queryable,
  runs: readonly Run[],
  now: number,
): Promise<ReadonlyMap<string, CheckoutStatus>> {
  const ids = runs.flatMap(({ checkouts }) => checkouts.map(({ id }) => id))
  const sessions = await findSessions(db, ids)
  return new Map(sessions.map((session) => [session.id, isOverdue(session, now) ? 'canceled' : session.status]))
}
