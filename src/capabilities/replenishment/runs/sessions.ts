/** Where the checkout sessions of runs stand. */
import type { CheckoutStatus } from '../../../contract/checkout.ts'
import type { Queryable } from '../../../store/store.ts'
import { isOverdue } from '../../checkout/index.ts'
import type { Run } from './run.ts'

/** In one question for all runs of an answer. One out of time is as good as canceled; checkout writes that down itself. */
export async function sessionStatuses(
  db: Queryable,
  runs: readonly Run[],
  now: number,
): Promise<ReadonlyMap<string, CheckoutStatus>> {
  const ids = runs.flatMap(({ checkouts }) => checkouts.map(({ id }) => id))
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('checkout').select(['id', 'status', 'expires_at']).where('id', 'in', ids).execute()
  return new Map(
    rows.map(({ id, status, expires_at }) => [
      id,
      isOverdue({ status, expiresAt: expires_at }, now) ? 'canceled' : status,
    ]),
  )
}
