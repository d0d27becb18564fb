/** What open and past runs say about slots, lead time and rhythm, read as the planner wants it. */
import type { Queryable } from '../../../store/store.ts'
import { leadTime, reviewDays } from '../planner/lead-time.ts'
import type { RunRecord } from '../planner/lead-time.ts'
import type { LeadTime } from '../planner/input.ts'

/** Deliveries looked back on; far more than the lead time is measured from. */
const DELIVERIES_MAX = 1000
const CALLS = 6

/** Lines with the run they are of, where their goods may still come: a session called off unsent brings none. */
const comingLines = (db: Queryable) =>
  db
    .selectFrom('replenishment_run')
    .innerJoin('run_line', 'run_line.run', 'replenishment_run.id')
    .leftJoin('checkout', 'checkout.id', 'run_line.checkout')
    .where('run_line.removed', 'is', null)
    .where((at) =>
      at.or([at('checkout.id', 'is', null), at('checkout.status', '<>', 'canceled'), at('checkout.sent', '=', 1)]),
    )

export interface SlotRuns {
  readonly runs: readonly RunRecord[]
  /** By slot: the runs not placed yet that cover it, oldest first. They hold nothing: each may still be placed. */
  readonly waiting: ReadonlyMap<string, readonly string[]>
}

/** Of these machines: what is on its way or waits, and what was delivered since. */
export async function slotRuns(db: Queryable, locations: readonly string[], since: number): Promise<SlotRuns> {
  const rows = await comingLines(db)
    .select([
      'replenishment_run.id',
      'replenishment_run.status',
      'replenishment_run.placed_at',
      'replenishment_run.delivered_at',
      'run_line.slot_id',
      'run_line.quantity',
      'run_line.delivered',
    ])
    .where('run_line.location', 'in', locations)
    .where((at) =>
      at.or([
        at('replenishment_run.status', 'in', ['pending_approval', 'approved', 'placed']),
        at.and([at('replenishment_run.status', '=', 'delivered'), at('replenishment_run.delivered_at', '>=', since)]),
      ]),
    )
    .orderBy('replenishment_run.created_at')
    .orderBy('replenishment_run.id')
    .execute()
  const waiting = new Map<string, string[]>()
  const runs = [...Map.groupBy(rows, ({ id }) => id).values()].map((lines): RunRecord => {
    const { id, status, placed_at, delivered_at } = lines[0]!
    if (status === 'pending_approval' || status === 'approved')
      for (const { slot_id } of lines) {
        const others = waiting.get(slot_id)
        if (others) others.push(id)
        else waiting.set(slot_id, [id])
      }
    return {
      status,
      placedAt: placed_at,
      deliveredAt: delivered_at,
      lines: lines.map(({ slot_id, quantity }) => ({ slotId: slot_id, quantity })),
      delivered: lines.flatMap(({ slot_id, delivered }) =>
        delivered === null ? [] : [{ slotId: slot_id, quantity: delivered }],
      ),
    }
  })
  return { runs, waiting }
}

/**
 * Slots of these machines that a run other than `run` has on the way, had delivered since, or is about to order for:
 * ordering again would pay twice.
 */
export async function orderedSince(
  db: Queryable,
  run: string,
  locations: readonly string[],
  since: number,
): Promise<ReadonlySet<string>> {
  const rows = await comingLines(db)
    .select('run_line.slot_id')
    .where('replenishment_run.id', '<>', run)
    .where((at) =>
      at.or([
        at('replenishment_run.status', '=', 'placed'),
        at.and([at('replenishment_run.status', '=', 'delivered'), at('replenishment_run.placed_at', '>', since)]),
        at.and([at('replenishment_run.status', '=', 'approved'), at('replenishment_run.placing', 'is not', null)]),
      ]),
    )
    .where('run_line.location', 'in', locations)
    .execute()
  return new Set(rows.map(({ slot_id }) => slot_id))
}

export async function measuredLeadTime(db: Queryable, statedDays: number, now: number): Promise<LeadTime> {
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

/** How often runs are asked for, whatever came of them. */
export async function measuredReview(db: Queryable): Promise<number> {
  const rows = await db
    .selectFrom('replenishment_run')
    .select('created_at')
    .orderBy('created_at', 'desc')
    .limit(CALLS)
    .execute()
  return reviewDays(rows.map(({ created_at }) => created_at))
}
