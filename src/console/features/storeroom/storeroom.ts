/** What the store room page shows, in its order. Pure. */
import type { Message } from '../../../contract/common.ts'
import type { Order } from '../../../contract/shapes/order.ts'
import type { StoreroomProduct } from '../../../contract/shapes/storeroom.ts'

export interface StoreroomRow extends StoreroomProduct {
  /** Of the lot that expires first. */
  readonly bestBefore: string | undefined
  /** What the machines will not sell before its date. */
  readonly unsold: readonly { readonly units: number; readonly date: string }[]
}

/** First what will not be sold before its date, then what expires first, then by title. */
export function storeroomRows(
  products: readonly StoreroomProduct[],
  messages: readonly Message[] = [],
): readonly StoreroomRow[] {
  const warnings = Map.groupBy(
    messages.filter(({ code }) => code === 'expires_soon'),
    ({ params }) => params?.['sku_id'],
  )
  return products
    .map((product) => ({
      ...product,
      bestBefore: product.lots[0]?.best_before ?? undefined,
      unsold: (warnings.get(product.item.id) ?? []).flatMap(({ params }) => {
        const { units, date } = params ?? {}
        return typeof units === 'number' && typeof date === 'string' ? [{ units, date }] : []
      }),
    }))
    .toSorted(
      (a, b) =>
        compareDates(a.unsold[0]?.date, b.unsold[0]?.date) ||
        compareDates(a.bestBefore, b.bestBefore) ||
        a.item.title.localeCompare(b.item.title),
    )
}

/** A date is before none. */
const compareDates = (a = '9999', b = '9999'): number => (a < b ? -1 : Number(a > b))

/** What a purchase brings as its supplier confirmed it, in single units. A product may stand in several lines. */
export function confirmedProducts({ line_items: lines }: Pick<Order, 'line_items'>) {
  const units = new Map<string, { readonly id: string; readonly title: string; readonly units: number }>()
  for (const { item, quantity } of lines) {
    const before = units.get(item.id)?.units ?? 0
    const single = quantity.total * (item.quantity_unit?.contains ?? 1)
    units.set(item.id, { id: item.id, title: item.title, units: before + single })
  }
  return [...units.values()]
}
