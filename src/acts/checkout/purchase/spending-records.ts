/**
 * What purchases of the last week count towards the limits per day and week: those that were bought, are in progress, or
 * may have been bought. What was refused or never sent does not count. What a person says was not placed counts, unless
 * that person may approve purchases: otherwise an operator could spend, take it back in words, and spend again. What a
 * supplier asks beyond what was agreed counts too.
 */
import { sql } from 'kysely'
import { fen } from '../../../kernel/fen.ts'
import { incrementCounter } from '../../../store/counter.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import { type Rules, type SpendingTotals, hasSpendingWindows, WINDOW_MS } from '../../../rules/guardrails/index.ts'

const NO_TOTALS: readonly SpendingTotals[] = []
/** Computed, so that a limit over a longer time reads further back. */
const LONGEST_WINDOW_MS = Math.max(...Object.values(WINDOW_MS))

/** Empty where no rule adds purchases up. */
export const loadSpendingTotals = async (
  db: Queryable,
  rules: Rules,
  now: number,
): Promise<readonly SpendingTotals[]> => (hasSpendingWindows(rules) ? readSpendingTotals(db, now) : NO_TOTALS)

/**
 * Until the transaction ends, no other purchase of this deployment is claimed: ten at once must not all see the same
 * free budget. The row of the counter is the lock. Only taken where a rule adds purchases up.
 */
export async function lockSpending(tx: Tx): Promise<void> {
  await incrementCounter(tx, 'spending')
}

interface SpendingTotalsRow {
  readonly supplier: string | null
  readonly buyer_key: string | null
  readonly week_fen: number
  readonly week_oldest: number | null
  readonly day_fen: number
  readonly day_oldest: number | null
}

/** A purchase from the future, after the clock was set back, counts too. */
async function readSpendingTotals(db: Queryable, now: number): Promise<readonly SpendingTotals[]> {
  const day = now - WINDOW_MS.day
  const week = now - WINDOW_MS.week
  const { rows } = await sql<SpendingTotalsRow>`select supplier, buyer_key,
      cast(sum(case when claimed_at > ${week} then fen else 0 end) as bigint) as week_fen,
      min(case when claimed_at > ${week} then claimed_at end) as week_oldest,
      cast(sum(case when claimed_at > ${day} then fen else 0 end) as bigint) as day_fen,
      min(case when claimed_at > ${day} then claimed_at end) as day_oldest
    from (
      select attempt.supplier, attempt.buyer_key, attempt.claimed_at,
        case when purchase.total_fen > attempt.total_fen then purchase.total_fen else attempt.total_fen end as fen
      from checkout_attempt as attempt
      left join purchase on purchase.id = attempt.checkout and attempt.outcome = 'accepted'
      where attempt.claimed_at > ${now - LONGEST_WINDOW_MS} and attempt.total_fen is not null
        and (attempt.outcome is null or attempt.outcome in ('accepted', 'unknown', 'handed_off')
          or (attempt.outcome = 'not_placed' and attempt.frees_budget = 0))
    ) as counted
    group by supplier, buyer_key`.execute(db)
  return rows.map((row) => ({
    supplier: row.supplier ?? '',
    key: row.buyer_key ?? '',
    day: { totalFen: fen(row.day_fen), oldestAt: row.day_oldest ?? undefined },
    week: { totalFen: fen(row.week_fen), oldestAt: row.week_oldest ?? undefined },
  }))
}
