/** What the operator watches between its shifts. */
import { DAY, HOUR } from '../../kernel/clock.ts'
import { loadSpendingTotals } from '../../acts/checkout/index.ts'
import { listOverduePurchases } from '../../acts/orders/index.ts'
import { listLocations } from '../../route/locations/index.ts'
import { readGuardrails, spendingLimits, usedOf } from '../../rules/guardrails/index.ts'
import { statedLeadDays } from '../../vendors/registry.ts'
import type { Context } from '../../context.ts'
import { OPERATOR_NAME } from './shift.ts'
import type { Watched } from './wake.ts'

const SILENT_MS = 6 * HOUR
/** Where machines are read seldom. */
const SYNCS_MISSED = 3
/** Beyond the stated lead time. */
const LATE_DAYS = 1
const PURCHASES_MAX = 200

/** Undefined while the rules cannot be read. */
export async function watch(ctx: Context): Promise<Watched | undefined> {
  const { store, clock, config } = ctx
  const now = clock.now()
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return undefined
  const { rules } = guard.value
  const spent = await loadSpendingTotals(store.db, rules, now)
  const limits = spendingLimits(rules).filter(
    ({ supplier, key }) => supplier === undefined && (key === undefined || key === OPERATOR_NAME),
  )
  const perPurchase = Math.min(...limits.filter(({ window }) => window === 'run').map(({ limitFen }) => limitFen))
  const silentMs = Math.max(SILENT_MS, SYNCS_MISSED * config.syncIntervalMs)
  const before = now - (statedLeadDays(ctx.vendors, config.statedLeadDays) + LATE_DAYS) * DAY
  return {
    silent: (await listLocations(store.db))
      .filter(({ lastSyncedAt }) => lastSyncedAt !== undefined && now - lastSyncedAt >= silentMs)
      .map(({ id }) => id),
    late: (await listOverduePurchases(store.db, { before, now, limit: PURCHASES_MAX })).map(({ id }) => id),
    isBudgetUsed: limits.some(
      (limit) =>
        limit.window !== 'run' && limit.limitFen - usedOf(limit, spent).usedFen < Math.min(perPurchase, limit.limitFen),
    ),
  }
}
