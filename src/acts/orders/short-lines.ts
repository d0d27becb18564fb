/** What a supplier reports for each line of a purchase: how much was shipped, and how much will not come. Pure. */
import { type SkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { SupplyLineStatus, SupplyOrderStatus } from '../../vendors/supply-vendor.ts'
import type { Purchase, PurchaseLine } from './purchase-record.ts'

export interface LineProgress {
  readonly shipped: number
  readonly cancelled: number
}

/**
 * By the id of the line; lines without a report are absent. A product in several lines has a report for each, in their
 * order, or one for all: then what was shipped fills the first lines, and what will not come is missing from the last.
 */
export function progressOfLines(
  lines: readonly PurchaseLine[],
  reported: readonly SupplyLineStatus[],
): ReadonlyMap<string, LineProgress> {
  const progress = new Map<string, LineProgress>()
  const reports = Map.groupBy(reported, ({ vendorSku }) => vendorSku)
  const linesOf = Map.groupBy(lines, ({ item }) => vendorSkuOf(item.id as SkuId))
  for (const [vendorSku, own] of linesOf) {
    const given = reports.get(vendorSku)
    if (!given) continue
    const each = given.length === own.length ? given : distribute(own, given)
    own.forEach(({ id, quantity }, index) => {
      const cancelled = clamp(each[index]?.cancelled, quantity)
      progress.set(id, { cancelled, shipped: clamp(each[index]?.shipped, quantity - cancelled) })
    })
  }
  return progress
}

/** Units of each line that will not come, by the id of the line. */
export const cancelledUnits = ({ lines, state, supplierStatus }: Purchase): ReadonlyMap<string, number> =>
  state === 'cancelled'
    ? new Map(lines.map(({ id, quantity }) => [id, quantity]))
    : new Map([...progressOfLines(lines, supplierStatus?.lines ?? [])].map(([id, { cancelled }]) => [id, cancelled]))

/** The money for what will not come, with its share of the tax. The cancellation of a whole order is another thing. */
export function shortFenOf(purchase: Purchase): number {
  const { lines, state, totals, totalFen } = purchase
  if (state === 'cancelled') return 0
  const cancelled = cancelledUnits(purchase)
  const goods = lines.reduce((sum, { id, item }) => sum + item.price * (cancelled.get(id) ?? 0), 0)
  const tax = totals && totals.subtotal > 0 ? Math.floor((totals.tax * goods) / totals.subtotal) : 0
  return Math.min(totalFen, goods + tax)
}

/** Whether less will come than was ordered. */
export const isShort = (purchase: Purchase): boolean =>
  [...cancelledUnits(purchase).values()].some((units) => units > 0)

const clamp = (n = 0, most: number): number => Math.max(0, Math.min(n, most))

function distribute(lines: readonly PurchaseLine[], reports: readonly SupplyLineStatus[]): LineProgress[] {
  let shipped = reports.reduce((sum, report) => sum + report.shipped, 0)
  let cancelled = reports.reduce((sum, report) => sum + report.cancelled, 0)
  const missing = lines
    .toReversed()
    .map(({ quantity }) => {
      const own = clamp(cancelled, quantity)
      cancelled -= own
      return own
    })
    .toReversed()
  return lines.map(({ quantity }, index) => {
    const own = clamp(shipped, quantity - (missing[index] ?? 0))
    shipped -= own
    return { shipped: own, cancelled: missing[index] ?? 0 }
  })
}

export interface Shortage {
  readonly title: string
  readonly quantity: number
  readonly ordered: number
}

/** Lines of which less will come than was known before. */
export function newShortages(purchase: Purchase, { lines = [], state }: SupplyOrderStatus): readonly Shortage[] {
  // That the whole order was cancelled is an event of its own.
  if (state === 'cancelled') return []
  const before = progressOfLines(purchase.lines, purchase.supplierStatus?.lines ?? [])
  const now = progressOfLines(purchase.lines, lines)
  return purchase.lines.flatMap(({ id, item, quantity: ordered }) => {
    const quantity = now.get(id)?.cancelled ?? 0
    return quantity > (before.get(id)?.cancelled ?? 0) ? [{ title: item.title, quantity, ordered }] : []
  })
}
