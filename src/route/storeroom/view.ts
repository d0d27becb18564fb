/** A product of the store room on the wire. */
import type { StoreroomProduct } from '../../contract/shapes/storeroom.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { money } from '../../kernel/currency.ts'
import { mayReadCosts } from '../../kernel/caller.ts'
import type { Config } from '../../config.ts'
import { compareDates, costOfUnits } from './book.ts'
import type { StoredProduct } from './records.ts'

const freeUnits = ({ units }: Pick<StoredProduct, 'units'>, reserved: number): number => Math.max(0, units - reserved)

export function productView(
  product: StoredProduct,
  reserved: number,
  { timeZone, currency }: Pick<Config, 'timeZone' | 'currency'>,
): StoreroomProduct {
  const { skuId: id, title, units, lots, averageCostE4, countedAt } = product
  const value = costOfUnits(units, averageCostE4)
  return {
    item: { id, title },
    units,
    reserved,
    free: freeUnits(product, reserved),
    ...(mayReadCosts() && { value: value === null ? null : money(value, currency) }),
    lots: lots
      .toSorted((a, b) => compareDates(a.bestBefore, b.bestBefore))
      .map((lot) => ({ units: lot.units, best_before: lot.bestBefore })),
    counted_at: countedAt === null ? null : rfc3339(countedAt, timeZone),
  }
}
