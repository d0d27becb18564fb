/**
 * In which units a supplier's product can be ordered, and at what price: each, box for packs of several, or only one
 * of the two where the supplier says so.
 */
import type { QuantityUnit, SaleUnit, UnitCode } from '../../contract/shapes/catalog.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { SupplyProduct } from '../../vendors/supply-vendor.ts'

type Priced = Pick<
  SupplyProduct,
  'packSize' | 'packPriceFen' | 'eachPriceFen' | 'eachPriceDerived' | 'units' | 'minOrder' | 'increment'
>

/** The unit of every variant in the catalog, and the default. */
export const EACH: QuantityUnit = Object.freeze({ unit: 'EA', display_text: 'each', increment: 1 })

const box = (contains: number): QuantityUnit => ({ unit: 'BX', display_text: 'box', increment: 1, contains })

/** The unit with the supplier's own step and smallest quantity, where it has them. */
function withOrderRules(unit: QuantityUnit, { minOrder = 1, increment = 1 }: Priced): QuantityUnit {
  if (minOrder <= 1 && increment <= 1) return unit
  return { ...unit, increment, ...(minOrder > 1 && { minimum: minOrder }) }
}

export interface UnitPrice {
  readonly priceFen: Fen
  /** Computed from the price of another unit; the supplier's invoice is final. */
  readonly derived: boolean
  readonly quantityUnit: QuantityUnit
}

/** Undefined when the product is not sold in that unit: a pack of one is not a box. */
export function unitPrice(product: Priced, unit: UnitCode): UnitPrice | undefined {
  const { packSize, packPriceFen, eachPriceFen, eachPriceDerived, units = 'both' } = product
  if (unit === 'EA') {
    // A price that rounds to nothing is no price to order at.
    if (units === 'pack' || (eachPriceDerived && eachPriceFen === 0)) return undefined
    return { priceFen: eachPriceFen, derived: eachPriceDerived, quantityUnit: withOrderRules(EACH, product) }
  }
  if (packSize <= 1 || units === 'each') return undefined
  return { priceFen: packPriceFen, derived: false, quantityUnit: withOrderRules(box(packSize), product) }
}

type QuantityRules = Pick<QuantityUnit, 'increment' | 'minimum'>

/** True for a quantity that the supplier takes in that unit. */
export const isOrderable = (quantity: number, { increment = 1, minimum = 1 }: QuantityRules): boolean =>
  quantity >= minimum && quantity % increment === 0

/** The smallest quantity that the supplier takes and that is no less than this one. */
export const orderableQuantity = (quantity: number, { increment = 1, minimum = 1 }: QuantityRules): number =>
  Math.ceil(Math.max(quantity, minimum) / increment) * increment

const UNITS: readonly UnitCode[] = ['EA', 'BX']

export const saleUnits = (product: Priced, currency: CurrencyCode): readonly SaleUnit[] =>
  UNITS.flatMap((unit) => {
    const found = unitPrice(product, unit)
    if (!found) return []
    const price = money(found.priceFen, currency)
    return [{ ...found.quantityUnit, price, ...(found.derived && { price_derived: true }) }]
  })
