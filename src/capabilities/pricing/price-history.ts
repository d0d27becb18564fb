/** What the rules compare a price with besides the price before: what it was a week ago, and what the product costs. */
import { DAY } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Context } from '../context.ts'
import type { PriceRules } from '../guardrails/index.ts'
import { newestCosts } from '../sales/index.ts'
import { sourcesOf } from '../skus/index.ts'
import type { PriceLine } from './change.ts'
import { changesSince } from './records.ts'

/** Reads only what a rule asks for. Under the lease of the machine, so that no other change is missed. */
export async function withPriceHistory(
  ctx: Context,
  location: string,
  lines: readonly PriceLine[],
  rules: PriceRules,
): Promise<readonly PriceLine[]> {
  if (rules.priceDriftPerWeek === undefined && rules.minimumMarginPercent === undefined) return lines
  const before = rules.priceDriftPerWeek === undefined ? NONE : await pricesAWeekAgo(ctx, location)
  const costs = rules.minimumMarginPercent === undefined ? NONE : await costsOf(ctx, lines)
  return lines.map((line) => {
    const [weekAgoFen, costFen] = [before.get(line.skuId), costs.get(line.skuId)]
    return { ...line, ...(weekAgoFen !== undefined && { weekAgoFen }), ...(costFen !== undefined && { costFen }) }
  })
}

const NONE: ReadonlyMap<SkuId, Fen> = new Map()

/** The price that the first request of the last 7 days found on the machine, whatever came of that request. */
async function pricesAWeekAgo({ store, clock }: Context, location: string): Promise<ReadonlyMap<SkuId, Fen>> {
  const prices = new Map<SkuId, Fen>()
  for (const { lines } of await changesSince(store.db, location, clock.now() - 7 * DAY))
    for (const { skuId, previousFen } of lines) if (!prices.has(skuId)) prices.set(skuId, previousFen)
  return prices
}

/** The price of the cheapest supplier or the newest cost in the ledger, whichever is higher: a new link lowers no cost. */
async function costsOf(ctx: Context, lines: readonly PriceLine[]): Promise<ReadonlyMap<SkuId, Fen>> {
  const ids = lines.map(({ skuId }) => skuId)
  const costs = new Map(await newestCosts(ctx.store.db, ids))
  for (const [id, { priceFen }] of await sourcesOf(ctx, ids))
    if (priceFen !== undefined && priceFen > (costs.get(id) ?? 0)) costs.set(id, priceFen)
  return costs
}
