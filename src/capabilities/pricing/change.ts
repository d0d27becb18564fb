/** A price change on one machine as plain data: the requested prices and the current ones. */
import { createHash } from 'node:crypto'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import type { PriceChangeRequest } from '../../contract/pricing.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import { type Namespace, type SkuId, namespaceOf, parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { type ErrorMessage, error } from '../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../kernel/outcome.ts'
import { INVALID_SKU_ID } from '../../kernel/text.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { type Rules, exceedsCap } from '../guardrails/index.ts'
import { TEXTS } from './texts.ts'

export interface RequestedPrice {
  readonly skuId: SkuId
  readonly priceFen: Fen
}

export interface PriceLine extends RequestedPrice {
  readonly title: string
  /** The price on the machine when the line was checked. */
  readonly previousFen: Fen
  /** 7 days before, or the first known since; absent where it is `previousFen` or no rule asks. */
  readonly weekAgoFen?: Fen
  /** Absent where it is not known or no rule asks. */
  readonly costFen?: Fen
}

export const linePath = (index: number): string => `$.prices[${index}]`
const itemPath = (index: number): string => `${linePath(index)}.item.id`

/** The lines of a request: only products of this machine platform (4.6), each one once. */
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

/**
 * The slot of a product whose price is furthest from the requested one. A product may be in several slots at several
 * prices: the change is as large as the largest of them, and it is in effect only when it is in all of them.
 */
function furthestSlot({ skuId, priceFen }: RequestedPrice, slots: readonly MachineSlot[]): MachineSlot | undefined {
  const vendorSku = vendorSkuOf(skuId)
  const distance = (slot: MachineSlot) => Math.abs(slot.priceFen - priceFen)
  return slots
    .filter((slot) => slot.vendorSku === vendorSku)
    .reduce<MachineSlot | undefined>((far, slot) => (far && distance(far) >= distance(slot) ? far : slot), undefined)
}

export const isApplied = (price: RequestedPrice, slots: readonly MachineSlot[]): boolean =>
  furthestSlot(price, slots)?.priceFen === price.priceFen

/** The lines with the current prices; refused for products that are not in the machine. */
export function withCurrentPrices(
  prices: readonly RequestedPrice[],
  slots: readonly MachineSlot[],
): Outcome<readonly PriceLine[]> {
  const problems: ErrorMessage[] = []
  const lines = prices.flatMap(({ skuId, priceFen }, index) => {
    const slot = furthestSlot({ skuId, priceFen }, slots)
    if (slot) return [{ skuId, priceFen, title: slot.title, previousFen: slot.priceFen }]
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
 * Whether an approval still applies. The new prices are the same; the current ones may have changed by no more than the
 * cap since the owner saw them, or be the new ones already because a part was applied.
 */
export function approvalStillApplies(
  rules: Pick<Rules, 'priceCapPerItem'>,
  seen: readonly PriceLine[],
  now: readonly PriceLine[],
): boolean {
  const before = new Map(seen.map((line) => [line.skuId, line.previousFen]))
  return now.every(({ skuId, previousFen, priceFen }) => {
    const then = before.get(skuId)
    if (then === undefined) return false
    return previousFen === priceFen || !exceedsCap(rules, then, previousFen)
  })
}
