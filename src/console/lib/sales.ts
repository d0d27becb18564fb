/** Sales by day, with the days on which nothing was sold filled in. */
import { client } from './api.ts'
import { dayAgo, nextDay } from './format.ts'
import { useResource } from './resource.ts'

export const SALES_DAYS = 30

export interface SalesDay {
  readonly day: string
  readonly units: number
  readonly revenue: number
}

export function useDailySales(location?: string) {
  return useResource(
    `sales ${location ?? ''}`,
    async (signal): Promise<readonly SalesDay[]> => {
      const from = dayAgo(SALES_DAYS - 1)
      const { days } = await client.listDailySales({
        query: { from, ...(location === undefined ? {} : { location }) },
        signal,
      })
      const known = new Map(days.map((entry) => [entry.day, entry]))
      const last = [dayAgo(0), ...known.keys()].toSorted().at(-1) ?? dayAgo(0)
      const filled: SalesDay[] = []
      for (let day = from; day <= last; day = nextDay(day)) filled.push(known.get(day) ?? { day, units: 0, revenue: 0 })
      return filled
    },
    ['order', 'sync'],
  )
}
