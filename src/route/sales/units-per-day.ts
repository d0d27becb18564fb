/** How much a product sells in a machine: paid units a day over the last 30 days, from our own mirror. */
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { addDays, localDay } from '../../kernel/clock.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import { loadUnitsSoldBySlot } from './machine-sales-records.ts'

/** A product in a machine, whose platform is that of the product. */
export interface MachineProduct {
  readonly location: string
  readonly skuId: SkuId
}

const keyOf = ({ location, skuId }: MachineProduct): string => `${skuId} ${location}`

export async function loadUnitsPerDay(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  products: readonly MachineProduct[],
): Promise<(product: MachineProduct) => number> {
  const from = addDays(localDay(clock.now(), config.timeZone), 1 - SALES_WINDOW_DAYS_DEFAULT)
  const sold = new Map(
    (await loadUnitsSoldBySlot(store.db, products, from)).map((each) => [keyOf(each), each.units] as const),
  )
  return (product) => (sold.get(keyOf(product)) ?? 0) / SALES_WINDOW_DAYS_DEFAULT
}
