/** In which units a supplier's good can be ordered, and at what price (2.4): each always, box when the pack holds more. */
import type { QuantityUnit, SaleUnit, UnitCode } from '../../contract/catalog.ts'
import type { Price } from '../../contract/common.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { SupplyProduct } from '../../vendors/contract.ts'

type Priced = Pick<SupplyProduct, 'packSize' | 'packPriceFen' | 'eachPriceFen' | 'eachPriceDerived'>

export const price = (amount: Fen): Price => ({ amount, currency: 'CNY' })

/** The unit of every variant in the catalog, and the one meant when none is named. */
export const EACH: QuantityUnit = Object.freeze({ unit: 'EA', display_text: 'each', increment: 1 })

const box = (contains: number): QuantityUnit => ({ unit: 'BX', display_text: 'box', increment: 1, contains })

export interface UnitPrice {
  readonly priceFen: Fen
  /** Computed from the price of another unit; the supplier's statement settles the odd fen. */
  readonly derived: boolean
  readonly quantityUnit: QuantityUnit
}

/** Undefined when the good is not sold in that unit: a pack of one is no box. */
export function unitPrice(good: Priced, unit: UnitCode): UnitPrice | undefined {
  if (unit === 'EA') return { priceFen: good.eachPriceFen, derived: good.eachPriceDerived, quantityUnit: EACH }
  if (good.packSize <= 1) return undefined
  return { priceFen: good.packPriceFen, derived: false, quantityUnit: box(good.packSize) }
}

const UNITS: readonly UnitCode[] = ['EA', 'BX']

export const saleUnits = (good: Priced): readonly SaleUnit[] =>
  UNITS.flatMap((unit) => {
    const found = unitPrice(good, unit)
    if (!found) return []
    return [{ ...found.quantityUnit, price: price(found.priceFen), ...(found.derived && { price_derived: true }) }]
  })
