/** What the rules compare a price with besides the price before: what it was a week ago, and what the product costs. */
import { DAY } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { type PriceRules, RETRY_AFTER_SECONDS } from '../../rules/guardrails/index.ts'
import { findNewestCosts } from '../../route/sales/index.ts'
import { readSupplierCosts } from '../../route/skus/index.ts'
import { furthestFrom, pricesBefore } from './change.ts'
import type { PriceLine } from './price-line.ts'
import { EXECUTING_MS } from './execute.ts'
import { listChangesSentLate, listChangesSince } from './records.ts'
import { TEXTS } from './texts.ts'

/** Reads only what a rule asks for. Under the lease of the machine, so that no other change is missed. */
export async function loadPriceHistory(
  ctx: Context,
  location: string,
  lines: readonly PriceLine[],
  rules: PriceRules,
): Promise<readonly PriceLine[]> {
  if (rules.priceDriftPerWeek === undefined && rules.minimumMarginPercent === undefined) return lines
  const before: PricesBefore = rules.priceDriftPerWeek === undefined ? new Map() : await loadPricesBefore(ctx, location)
  const costs = rules.minimumMarginPercent === undefined ? NONE : await loadCosts(ctx, lines)
  return lines.map((line) => {
    const [weekAgoFen, costFen] = [furthestFrom(line.priceFen, before.get(line.skuId) ?? []), costs.get(line.skuId)]
    const { minimumMarginPercent: percent } = rules
    return {
      ...line,
      ...(weekAgoFen !== undefined && { weekAgoFen }),
      ...(costFen !== undefined && { costFen }),
      ...(percent !== undefined && costFen === undefined && { uncheckedMarginPercent: percent }),
    }
  })
}

const NONE: ReadonlyMap<SkuId, Fen> = new Map()

type PricesBefore = ReadonlyMap<SkuId, readonly Fen[]>

/**
 * The prices that the first request of the last 7 days found on the machine, lane by lane, whatever came of that request;
 * and those before each change that was requested earlier but executed within the 7 days. The furthest one counts.
 */
async function loadPricesBefore({ store, clock }: Context, location: string): Promise<PricesBefore> {
  const since = clock.now() - 7 * DAY
  const changes = await listChangesSince(store.db, location, since)
  const late = await listChangesSentLate(store.db, location, since, since + EXECUTING_MS)
  const prices = new Map<SkuId, Fen[]>()
  for (const line of changes.flatMap(({ lines }) => lines))
    if (!prices.has(line.skuId)) prices.set(line.skuId, [...pricesBefore(line)])
  for (const line of late.flatMap(({ lines }) => lines))
    prices.set(line.skuId, [...(prices.get(line.skuId) ?? []), ...pricesBefore(line)])
  return prices
}

/**
 * The cost at the suppliers or the newest one in the ledger, whichever is higher. Refused when the product has a supplier
 * whose price list was never read.
 */
async function loadCosts(ctx: Context, lines: readonly PriceLine[]): Promise<ReadonlyMap<SkuId, Fen>> {
  const ids = lines.map(({ skuId }) => skuId)
  const costs = new Map(await findNewestCosts(ctx.store.db, ids))
  for (const [id, cost] of await readSupplierCosts(ctx, ids)) {
    if (cost === 'unread')
      throw new RefusedError(
        refuse('guard_unverifiable', TEXTS.costUnknown, undefined, { retryAfter: RETRY_AFTER_SECONDS }).refusal,
      )
    if (cost > (costs.get(id) ?? 0)) costs.set(id, cost)
  }
  return costs
}
