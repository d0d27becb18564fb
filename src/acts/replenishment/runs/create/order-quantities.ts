/**
 * How much of each supplier product a run orders: what its lines need, rounded up to what the supplier sells, such as whole
 * boxes. What is left over stays with the operator. Pure.
 */
import { type Fen, fen, times, ZERO } from '../../../../kernel/fen.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { NoteMessage } from '../../../../kernel/message.ts'
import { type OrderUnit, type Source, orderableQuantity } from '../../../../route/skus/index.ts'
import { type OrderQuantity, type Run, type RunLine, activeLines, unitsToBuy } from '../run.ts'
import { roundWarnings } from '../texts.ts'

const SINGLE: OrderUnit = { unit: 'EA', contains: 1, priceFen: ZERO }

/** `needed` are the units of each product; a product whose catalog could not be read counts as sold in single units. */
export const orderQuantities = (
  needed: ReadonlyMap<SkuId, number>,
  units: ReadonlyMap<SkuId, OrderUnit>,
): readonly OrderQuantity[] =>
  [...needed].map(([source, unitsNeeded]) => {
    const unit = units.get(source) ?? SINGLE
    const quantity = orderableQuantity(Math.ceil(unitsNeeded / unit.contains), unit)
    return { source, unit: unit.unit, quantity, needed: unitsNeeded, ordered: quantity * unit.contains }
  })

export function orderUnitsOf(sources: Iterable<Source>): ReadonlyMap<SkuId, OrderUnit> {
  const units = new Map<SkuId, OrderUnit>()
  for (const { skuId, orderedIn } of sources) if (orderedIn) units.set(skuId, orderedIn)
  return units
}

/** The products that are ordered in boxes, for the record of a run. */
export function boxedProducts(units: ReadonlyMap<SkuId, Pick<OrderUnit, 'unit'>>): {
  readonly boxed?: readonly SkuId[]
} {
  const boxed = [...units].flatMap(([skuId, { unit }]) => (unit === 'BX' ? [skuId] : []))
  return boxed.length === 0 ? {} : { boxed }
}

/** Units of each supplier product that have to be bought for these lines. */
export function neededUnits(
  lines: readonly Pick<RunLine, 'source' | 'quantity' | 'fromStoreroom' | 'bought'>[],
): Map<SkuId, number> {
  const needed = new Map<SkuId, number>()
  for (const line of lines) {
    const units = unitsToBuy(line)
    if (line.source !== undefined && units > 0) needed.set(line.source, (needed.get(line.source) ?? 0) + units)
  }
  return needed
}

/** Lines keep the cost of when they were planned; this is what they cost by now. */
export const atCurrentPrices = (lines: readonly RunLine[], sources: ReadonlyMap<SkuId, Source>): readonly RunLine[] =>
  lines.map((line) => ({ ...line, costFen: sources.get(line.skuId)?.priceFen ?? line.costFen }))

export interface Rounding extends Pick<Run, 'roundedTo'> {
  /** What the rounded order costs above the lines: it counts against the rules, too. */
  readonly extraFen: Fen
  readonly messages: readonly NoteMessage[]
}

/** What rounding up means for the cost of a run, with a message about the products that are rounded. */
export function roundingOf(lines: readonly RunLine[], sources: Iterable<Source>): Rounding {
  const active = activeLines(lines)
  const units = orderUnitsOf(sources)
  const rounded = orderQuantities(neededUnits(active), units).filter(({ needed, ordered }) => ordered > needed)
  const extraFen = rounded.reduce((total, { source, quantity }) => {
    const own = active.filter((line) => line.source === source)
    const planned = own.reduce((sum, line) => sum + line.costFen * unitsToBuy(line), 0)
    return total + Math.max(0, times(units.get(source)?.priceFen ?? ZERO, quantity) - planned)
  }, 0)
  const titles = new Map(active.map(({ source, title }) => [source, title]))
  return {
    extraFen: fen(extraFen),
    ...(rounded.length === 0
      ? {}
      : { roundedTo: Object.fromEntries(rounded.map(({ source, ordered }) => [source, ordered])) }),
    messages: roundWarnings(rounded, ({ source }) => titles.get(source) ?? source),
  }
}
