/** In which units a supplier's product can be ordered, and at what price (2.4): always each, box for packs of several. */
import type { QuantityUnit, SaleUnit, UnitCode } from '../../contract/catalog.ts'
import { money } from '../../kernel/currency.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { SupplyProduct } from '../../vendors/contract.ts'

type Priced = Pick<SupplyProduct, 'packSize' | 'packPriceFen' | 'eachPriceFen' | 'eachPriceDerived'>

/** The unit of every variant in the catalog, and the default. */
export const EACH: QuantityUnit = Object.freeze({ unit: 'EA', display_text: 'each', increment: 1 })

const box = (contains: number): QuantityUnit => ({ unit: 'BX', display_text: 'box', increment: 1, contains })

export interface UnitPrice {
  readonly priceFen: Fen
  /** Computed from the price of another unit; the supplier's invoice is final. */
  readonly derived: boolean
  readonly quantityUnit: QuantityUnit
}

/** Undefined when the product is not sold in that unit: a pack of one is not a box. */
export function unitPrice(product: Priced, unit: UnitCode): UnitPrice | undefined {
  if (unit === 'EA') return { priceFen: product.eachPriceFen, derived: product.eachPriceDerived, quantityUnit: EACH }
  if (product.packSize <= 1) return undefined
  return { priceFen: product.packPriceFen, derived: false, quantityUnit: box(product.packSize) }
}

const UNITS: readonly UnitCode[] = ['EA', 'BX']

export const saleUnits = (product: Priced, currency: CurrencyCode): readonly SaleUnit[] =>
  UNITS.flatMap((unit) => {
    const found = unitPrice(product, unit)
    if (!found) return []
    const price = money(found.priceFen, currency)
    return [{ ...found.quantityUnit, price, ...(found.derived && { price_derived: true }) }]
  })
