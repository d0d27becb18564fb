/** How much a product sells in a machine: paid units a day over the last 30 days, or since its first sale in them. */
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { addDays, DAY, localDay } from '../../kernel/clock.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import { loadUnitsSoldBySlot } from './machine-sales-records.ts'

/** A product in a machine, whose platform is that of the product. */
export interface MachineProduct {
  readonly location: string
  readonly skuId: SkuId
}

/** The first days of a new product say little. */
const DAYS_MIN = 7

const keyOf = ({ location, skuId }: MachineProduct): string => `${skuId} ${location}`

export async function loadUnitsPerDay(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  products: readonly MachineProduct[],
): Promise<(product: MachineProduct) => number> {
  const today = localDay(clock.now(), config.timeZone)
  const from = addDays(today, 1 - SALES_WINDOW_DAYS_DEFAULT)
  const rates = new Map<string, number>()
  for (const each of await loadUnitsSoldBySlot(store.db, products, from)) {
    const days = Math.round((Date.parse(today) - Date.parse(each.firstDay)) / DAY) + 1
    rates.set(keyOf(each), each.units / Math.max(DAYS_MIN, days))
  }
  return (product) => rates.get(keyOf(product)) ?? 0
}
