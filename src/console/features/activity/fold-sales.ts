/** Sales in a row as one entry: how many, and for how much. Pure. */
import type { Event } from '../../../contract/shapes/event.ts'

/** The kind `order` is of sales and of purchases at their supplier. */
export const kindOf = ({ kind, code }: Pick<Event, 'kind' | 'code'>): string =>
  code?.startsWith('purchase_') ? 'checkout' : kind

const isSale = (event: Event): boolean => event.source === 'service' && kindOf(event) === 'order'

export interface Sales {
  readonly sales: readonly Event[]
  readonly total: number
  readonly currency: string
}

const dayOf = ({ occurred_at: at }: Event): string => at.slice(0, 10)

/** Nothing of a sale that was not paid. */
function amountOf({ params = {} }: Event) {
  const { total } = params
  return typeof total === 'object' ? total : undefined
}

/** By day, newest first; two or more sales that follow each other are folded. */
export function foldSales(events: readonly Event[]): readonly (readonly [day: string, (Event | Sales)[]])[] {
  const sorted = events.toSorted((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at))
  return [...Map.groupBy(sorted, dayOf)].map(([day, inside]) => {
    const entries: (Event | Sales)[] = []
    for (const event of inside) {
      const last = entries.at(-1)
      const before = last && ('sales' in last ? last.sales : isSale(last) ? [last] : undefined)
      if (before && isSale(event)) entries[entries.length - 1] = toSales([...before, event])
      else entries.push(event)
    }
    return [day, entries] as const
  })
}

function toSales(sales: readonly Event[]): Sales {
  const amounts = sales.flatMap((sale) => amountOf(sale) ?? [])
  return {
    sales,
    total: amounts.reduce((sum, { amount }) => sum + amount, 0),
    currency: amounts[0]?.currency ?? 'CNY',
  }
}
