/** What the store room page shows, in its order. Pure. */
import type { NamespaceEntry } from '../../../contract/shapes/catalog.ts'
import { byName } from '../../lib/text/natural-order.ts'
import type { Message } from '../../../contract/common.ts'
import type { Order } from '../../../contract/shapes/order.ts'
import type { VendopsError } from '../../lib/service/api.ts'
import type { PickList } from '../../../contract/shapes/pick-list.ts'
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
        byName(a.item.title, b.item.title),
    )
}

/** A date is before none. */
const compareDates = (a = '9999', b = '9999'): number => (a < b ? -1 : Number(a > b))

export interface ConfirmedProduct {
  readonly id: string
  readonly title: string
  /** Single units. */
  readonly units: number
  /** Single units in a case; 1 where it is not bought in cases of one size. */
  readonly contains: number
}

/** What a purchase brings as its supplier confirmed it. A product may stand in several lines. */
export function confirmedProducts({ line_items: lines }: Pick<Order, 'line_items'>): readonly ConfirmedProduct[] {
  const products = new Map<string, ConfirmedProduct>()
  for (const { item, quantity } of lines) {
    const { id, title, quantity_unit: unit } = item
    const contains = unit?.contains ?? 1
    const before = products.get(id)
    products.set(id, {
      id,
      title,
      units: (before?.units ?? 0) + quantity.total * contains,
      contains: before === undefined || before.contains === contains ? contains : 1,
    })
  }
  return [...products.values()]
}

/** What the purchases of a run bring, until the first receipt has booked them in. */
export const expectedProducts = (list: Pick<PickList, 'delivery'> | undefined): readonly ConfirmedProduct[] =>
  (list?.delivery ?? []).map(({ item, units, contains }) => ({ ...item, units, contains }))

/** A supplier that is only planned has no catalog to be asked for. */
export const liveSuppliers = (namespaces: readonly NamespaceEntry[] = []): readonly string[] =>
  namespaces.flatMap(({ role, status, namespace }) => (role === 'supply' && status === 'live' ? namespace : []))

/** What the service says is there, where another number was expected. */
export function unitsThere(failure: unknown): number | undefined {
  const { code, messages } = failure as Partial<VendopsError>
  const units = code === 'conflict' ? messages?.[0]?.params?.['units'] : undefined
  return typeof units === 'number' ? units : undefined
}

/** As a person types it: whole cases and single units beside them. */
export interface TypedCount {
  readonly cases: string
  readonly singles: string
}

const isCount = (text: string): boolean => /^\d{1,6}$/.test(text)

export const typedCountOf = ({ units, contains }: Pick<ConfirmedProduct, 'units' | 'contains'>): TypedCount => ({
  cases: contains === 1 ? '' : String(Math.floor(units / contains)),
  singles: String(units % contains || (contains === 1 ? units : 0)),
})

/** Undefined where it is no number. A field that is left empty counts 0 beside the other one. */
export function unitsTyped({ cases, singles }: TypedCount, contains: number): number | undefined {
  const typed = [cases.trim(), singles.trim()]
  if (typed.every((text) => text === '') || !typed.every((text) => text === '' || isCount(text))) return undefined
  return Number(typed[0]) * contains + Number(typed[1])
}
