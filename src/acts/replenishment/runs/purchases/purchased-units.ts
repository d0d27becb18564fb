/**
 * What the purchases of a run contain, and for which of its lines nothing was bought: products can be taken out of a
 * purchase until it is completed. One rule for the pick list, the plan and placing. Pure.
 */
import type { CheckoutCreateRequest } from '../../../../contract/shapes/checkout.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import { type Session, bringsNothing, hasFinalContents } from '../../../checkout/index.ts'
import { neededUnits } from '../create/order-quantities.ts'
import { type RunLine, storeroomUnits, unitsToBuy } from '../run.ts'

/** A session with the quantities that its supplier confirmed. */
export type Purchase = Pick<Session, 'id' | 'status' | 'orderMayExist' | 'findings' | 'lines'>
export type PlacedLine = Pick<RunLine, 'n' | 'skuId' | 'source' | 'checkout' | 'quantity' | 'fromStoreroom' | 'bought'>
/** Whether a machine product and a supplier product are the same, by a confirmed alias. */
export type IsSame = (machineSku: SkuId, supplierSku: SkuId) => boolean

/** Units of each product, single items and boxes together. */
function unitsIn(purchases: readonly Purchase[]): Map<SkuId, number> {
  const units = new Map<SkuId, number>()
  for (const { skuId, quantity, contains = 1 } of purchases.flatMap((each) => (bringsNothing(each) ? [] : each.lines)))
    units.set(skuId, (units.get(skuId) ?? 0) + quantity * contains)
  return units
}

/** The lines of a purchase after it came, in single items where a person counted another number than was confirmed. */
export function cameLines(lines: Session['lines'], came: ReadonlyMap<SkuId, number> | undefined): Session['lines'] {
  if (came === undefined) return lines
  const linesOf = Map.groupBy(lines, ({ skuId }) => skuId)
  return [...linesOf].flatMap(([skuId, own]) => {
    const units = came.get(skuId) ?? 0
    const confirmed = own.reduce((sum, { quantity, contains = 1 }) => sum + quantity * contains, 0)
    if (units === confirmed) return own
    const { contains: _contains, ...first } = own[0]!
    return [{ ...first, unit: 'EA', quantity: units }]
  })
}

/** Products in these purchases that no line needs: they may have been bought instead of another one. */
export function productsBesides(
  lines: readonly Pick<PlacedLine, 'source'>[],
  purchases: readonly Purchase[],
): readonly SkuId[] {
  const needed = new Set(lines.map(({ source }) => source))
  return [...unitsIn(purchases).keys()].filter((skuId) => !needed.has(skuId))
}

/** Whether a purchase still contains all that placing asked for, and nothing else; also where it was canceled as a whole. */
export function isAsRequested(purchase: Purchase, requested: CheckoutCreateRequest['line_items']): boolean {
  if (bringsNothing(purchase)) return true
  const asked = new Map(requested.map((line) => [line.item.id, line]))
  return (
    purchase.lines.every(({ skuId }) => asked.has(skuId)) &&
    requested.every(({ item, quantity, quantity_unit }) =>
      purchase.lines.some(
        (line) => line.skuId === item.id && line.unit === (quantity_unit?.unit ?? 'EA') && line.quantity >= quantity,
      ),
    )
  )
}

/** As they are now, by the product that the lines need. Another product counts for one that it is the same as. */
export function purchasedUnits(
  lines: readonly PlacedLine[],
  purchases: readonly Purchase[],
  isSame: IsSame,
): Map<SkuId, number> {
  const needed = neededUnits(lines)
  const units = unitsIn(purchases)
  const isShort = ({ source }: PlacedLine) =>
    source !== undefined && (units.get(source) ?? 0) < (needed.get(source) ?? 0)
  for (const skuId of productsBesides(lines, purchases)) {
    const replaced = lines.find((line) => isShort(line) && isSame(line.skuId, skuId))?.source
    if (replaced !== undefined) units.set(replaced, (units.get(replaced) ?? 0) + (units.get(skuId) ?? 0))
  }
  return units
}

/**
 * Of the lines of a run, in the order of their numbers, those for which nothing was bought and nothing can be any more.
 * While one of its purchases can change, all lines count as bought: a product that was taken out may come back, also as
 * the product of another supplier. What is too little for all lines goes to the first ones, whatever was received since:
 * a receipt can be undone.
 */
export function unboughtLines<Line extends PlacedLine>(
  lines: readonly Line[],
  purchases: readonly Purchase[],
  isSame: IsSame,
): Line[] {
  const final = new Set(purchases.filter(hasFinalContents).map(({ id }) => id))
  if (!lines.every(({ checkout }) => checkout !== undefined && final.has(checkout))) return []
  const left = purchasedUnits(lines, purchases, isSame)
  return lines.filter((line) => {
    const { source } = line
    if (source === undefined) return false
    const units = left.get(source) ?? 0
    left.set(source, Math.max(0, units - unitsToBuy(line)))
    // What the store room gives comes in any case.
    return units === 0 && storeroomUnits(line) === 0
  })
}
