/** A change of prices on one machine as plain data: what is asked, held against what stands on the machine now. */
import { createHash } from 'node:crypto'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import type { PriceChangeRequest } from '../../contract/pricing.ts'
import { fen } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'
import { namespaceOf, parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { accept, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { MachineSlot } from '../../vendors/contract.ts'
import { priceVerdict } from '../guardrails/index.ts'
import type { Rules } from '../guardrails/index.ts'

export interface RequestedPrice {
  readonly skuId: SkuId
  readonly priceFen: Fen
}

export interface PriceLine extends RequestedPrice {
  readonly title: string
  /** What stood on the machine when the line was judged. */
  readonly previousFen: Fen
}

export const linePath = (index: number): string => `$.prices[${index}]`
const itemPath = (index: number): string => `${linePath(index)}.item.id`

/** The lines of a request, all goods of this one machine platform (4.6), each good once. */
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
      problems.push(error('invalid', 'this is not a sku_id', path))
      continue
    }
    if (namespaceOf(skuId) !== own) {
      problems.push(error('namespace_mismatch', `prices of this machine take only ${own} SKUs`, path))
    } else if (lines.has(skuId)) {
      problems.push(error('invalid', 'this good is priced twice', path))
    } else {
      lines.set(skuId, { skuId, priceFen: fen(price.amount) })
    }
  }
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept([...lines.values()])
}

/**
 * The slot of a good whose price is furthest from the asked one. A good may lie in several, at several prices: the
 * change is as large as the largest of them, and it stands only when it stands in all.
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

/** The lines with the prices that stand now; goods the machine does not hold have none. */
export function withCurrentPrices(
  prices: readonly RequestedPrice[],
  slots: readonly MachineSlot[],
): Outcome<readonly PriceLine[]> {
  const problems: ErrorMessage[] = []
  const lines = prices.flatMap(({ skuId, priceFen }, index) => {
    const slot = furthestSlot({ skuId, priceFen }, slots)
    if (slot) return [{ skuId, priceFen, title: slot.title, previousFen: slot.priceFen }]
    problems.push(error('invalid', 'this machine does not hold this good', itemPath(index)))
    return []
  })
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(lines)
}

/** The same machine and the same prices, in whatever order: the same request. */
export function requestHashOf(location: string, prices: readonly RequestedPrice[]): string {
  const sorted = prices.map(({ skuId, priceFen }) => [skuId, priceFen] as const)
  sorted.sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([location, sorted]))
    .digest('hex')
}

export const linesOverCap = (
  rules: Pick<Rules, 'priceCapPerItem'>,
  lines: readonly PriceLine[],
): readonly PriceLine[] =>
  lines.filter(({ previousFen, priceFen }) => !priceVerdict(rules, previousFen, priceFen).allowed)

/**
 * Whether what the owner saw still describes the machine. The new prices are the very same; the old ones may have moved
 * by what the rules let pass unasked, or be the new ones already because a part was carried out.
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
    return previousFen === priceFen || priceVerdict(rules, then, previousFen).allowed
  })
}
