/** A product as it would be bought, for a person to check. */
import { formatAmount } from '../kernel/currency.ts'
import type { SupplyProduct } from './supply-vendor.ts'

export const isSoldInPacks = ({ packSize, units }: SupplyProduct): boolean => packSize > 1 && units !== 'each'

/** `Coca-Cola 12oz can: case of 24 $13.49 = $0.56 each` */
export function describeProduct(product: SupplyProduct, currency: string): string {
  const { title, packSize, packPriceFen, eachPriceFen } = product
  const each = `${formatAmount(eachPriceFen, currency)} each`
  return isSoldInPacks(product)
    ? `${title}: case of ${packSize} ${formatAmount(packPriceFen, currency)} = ${each}`
    : `${title}: ${each}`
}
