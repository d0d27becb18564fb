/** A price change on one machine as plain data: the requested prices and the current ones. */
import { createHash } from 'node:crypto'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import type { PriceChangeRequest } from '../../contract/shapes/pricing.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import { type Namespace, type SkuId, namespaceOf, parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { type ErrorMessage, error } from '../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../kernel/outcome.ts'
import { INVALID_SKU_ID } from '../../kernel/text.ts'
import { type MachineSlot, lanePrices } from '../../vendors/machine-vendor.ts'
import { type Rules, exceedsCap } from '../../rules/guardrails/index.ts'
import { TEXTS } from './texts.ts'
import type { PriceLine, RequestedPrice } from './price-line.ts'

const itemPath = (index: number): string => `$.prices[${index}].item.id`

/** The lines of a request: only products of this machine platform, each one once. */
export function readPrices(
  { prices }: Pick<PriceChangeRequest, 'prices'>,
  own: Namespace,
): Outcome<readonly RequestedPrice[]> {
  const problems: ErrorMessage[] = []
  const lines = new Map<SkuId, RequestedPrice>()
  for (const [index, { item, price }] of prices.entries()) {
    const path = itemPath(index)
    const skuId = parseSkuId(item.id)
    if (!skuId) {
      problems.push(error('invalid', INVALID_SKU_ID, path))
      continue
    }
    if (namespaceOf(skuId) !== own) {
      problems.push(error('namespace_mismatch', TEXTS.otherPlatform(own), path))
    } else if (lines.has(skuId)) {
      problems.push(error('invalid', TEXTS.pricedTwice, path))
    } else {
      lines.set(skuId, { skuId, priceFen: fen(price.amount) })
    }
  }
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept([...lines.values()])
}

const pricesOf = (vendorSku: string, slots: readonly MachineSlot[]): readonly (Fen | null)[] =>
  slots.filter((slot) => slot.vendorSku === vendorSku).flatMap(lanePrices)

/** A product may be in several lanes at several prices: a change is in effect only when it is in all of them. */
export function isApplied({ skuId, priceFen }: RequestedPrice, slots: readonly MachineSlot[]): boolean {
  const prices = pricesOf(vendorSkuOf(skuId), slots)
  return prices.length > 0 && prices.every((price) => price === priceFen)
}

/** Whether a line changes nothing: every lane has the price. Such a line needs no call. */
export const isNoChange = ({ previousFen, priceFen, hasUnpricedLane }: PriceLine): boolean =>
  previousFen === priceFen && hasUnpricedLane !== true

/** The prices before the change, of all lanes. */
export const pricesBefore = ({ previousFen, lanePricesFen }: PriceLine): readonly Fen[] =>
  lanePricesFen ?? [previousFen]

/** The price furthest from the new one: the change is as large as that. Of two at the same distance the lower one. */
export const furthestFrom = (priceFen: Fen, prices: readonly Fen[]): Fen | undefined =>
  prices.toSorted((a, b) => Math.abs(b - priceFen) - Math.abs(a - priceFen) || a - b)[0]

/** The line with the current prices; undefined when the product is not in the machine. */
function withPricesBefore({ skuId, priceFen }: RequestedPrice, slots: readonly MachineSlot[]): PriceLine | undefined {
  const vendorSku = vendorSkuOf(skuId)
  const slot = slots.find((each) => each.vendorSku === vendorSku)
  const prices = pricesOf(vendorSku, slots)
  const known = prices.filter((price) => price !== null).toSorted((a, b) => a - b)
  const previousFen = furthestFrom(priceFen, known)
  if (!slot || previousFen === undefined) return undefined
  return {
    skuId,
    priceFen,
    title: slot.title,
    previousFen,
    ...(prices.length > 1 ? { lanePricesFen: known } : {}),
    ...(known.length < prices.length ? { hasUnpricedLane: true } : {}),
  }
}

/** The lines with the current prices; refused for products that are not in the machine. */
export function withCurrentPrices(
  prices: readonly RequestedPrice[],
  slots: readonly MachineSlot[],
): Outcome<readonly PriceLine[]> {
  const problems: ErrorMessage[] = []
  const lines = prices.flatMap((price, index) => {
    const line = withPricesBefore(price, slots)
    if (line) return [line]
    problems.push(error('invalid', TEXTS.notInMachine, itemPath(index)))
    return []
  })
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(lines)
}

/** The same for the same machine and prices, in any order. */
export function requestHashOf(location: string, prices: readonly RequestedPrice[]): string {
  const sorted = prices.map(({ skuId, priceFen }) => [skuId, priceFen] as const)
  sorted.sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([location, sorted]))
    .digest('hex')
}

/**
 * Whether an approval still applies. The new prices are the same; the current one of each lane may differ by no more than
 * the cap from one that the owner saw, or be the new one already because a part was applied.
 */
export function approvalStillApplies(
  rules: Pick<Rules, 'priceCapPerItem'>,
  seen: readonly PriceLine[],
  now: readonly PriceLine[],
): boolean {
  const before = new Map(seen.map((line) => [line.skuId, line]))
  return now.every((line) => {
    const then = before.get(line.skuId)
    if (!then || (line.hasUnpricedLane && !then.hasUnpricedLane)) return false
    return pricesBefore(line).every(
      (price) =>
        price === line.priceFen || pricesBefore(then).some((priceSeen) => !exceedsCap(rules, priceSeen, price)),
    )
  })
}
