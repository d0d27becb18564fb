/** A product of the store room on the wire. */
import type { StoreroomProduct } from '../../contract/shapes/storeroom.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { money } from '../../kernel/currency.ts'
import type { PersonRole } from '../../kernel/person.ts'
import type { Config } from '../../config.ts'
import { compareDates, costOfUnits } from './book.ts'
import type { StoredProduct } from './records.ts'

/** Costs are for owner and operator (docs/contract.md, 5.8). */
export const seesCosts = (role: PersonRole | undefined): boolean => role === 'owner' || role === 'operator'

const freeUnits = ({ units }: Pick<StoredProduct, 'units'>, reserved: number): number => Math.max(0, units - reserved)

export function productView(
  product: StoredProduct,
  reserved: number,
  { timeZone, currency }: Pick<Config, 'timeZone' | 'currency'>,
  showsCosts: boolean,
): StoreroomProduct {
  const { skuId: id, title, units, lots, averageCostE4, countedAt } = product
  const value = costOfUnits(units, averageCostE4)
  return {
    item: { id, title },
    units,
    reserved,
    free: freeUnits(product, reserved),
    ...(showsCosts && { value: value === null ? null : money(value, currency) }),
    lots: lots
      .toSorted((a, b) => compareDates(a.bestBefore, b.bestBefore))
      .map((lot) => ({ units: lot.units, best_before: lot.bestBefore })),
    counted_at: countedAt === null ? null : rfc3339(countedAt, timeZone),
  }
}
