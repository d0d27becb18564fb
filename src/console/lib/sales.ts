/** Daily sales, including days without sales. */
import type { DailySales, SalesDay } from '../../contract/sales.ts'
import { client } from './api.ts'
import { nextDay } from './format.ts'
import { useResource } from './resource.ts'

/** The default window of the API. */
export const SALES_DAYS = 30

type Sales = Pick<DailySales, 'currency' | 'days'>

export function useDailySales(location?: string) {
  return useResource(
    `sales ${location ?? ''}`,
    async (signal): Promise<Sales> => {
      const query = location === undefined ? {} : { location }
      const { currency, from, to, days } = await client.listDailySales({ query, signal })
      const known = new Map(days.map((entry) => [entry.day, entry]))
      const filled: SalesDay[] = []
      for (let day = from; day <= to; day = nextDay(day)) filled.push(known.get(day) ?? { day, units: 0, revenue: 0 })
      return { currency, days: filled }
    },
    ['order', 'sync'],
  )
}
