/** The stock of a slot by our own book, where its platform reports none: counts, receipts and sales in order of time. */

export interface BookEntry {
  readonly at: number
  /** A count sets the level, a receipt adds to it. */
  readonly kind: 'count' | 'receipt'
  readonly units: number
}

/** Where the stock of a slot comes from: its platform, our own book, or nowhere. */
export type StockSource = 'told' | 'kept' | 'unknown'

/** More cannot be loaded than fits, but what is in the slot stays, even above its capacity. */
export const raisedLevel = (level: number, units: number, capacity: number | null): number =>
  capacity === null ? level + units : Math.max(level, Math.min(capacity, level + units))

/**
 * Null while the slot was never counted. A sale may be listed long after a receipt that followed it, so the level is
 * computed from the whole book each time and not carried forward. `soldAt`: the instants of the units sold, ascending.
 */
export function bookedLevel(
  entries: readonly BookEntry[],
  soldAt: ArrayLike<number>,
  capacity: number | null,
): number | null {
  let level: number | null = null
  let next = 0
  const sellUpTo = (at: number) => {
    // A sale at the very instant of an entry came after it.
    for (; next < soldAt.length && soldAt[next]! < at; next++) if (level !== null && level > 0) level -= 1
  }
  for (const { at, kind, units } of entries.toSorted(byTime)) {
    sellUpTo(at)
    if (kind === 'count') level = units
    else if (level !== null) level = raisedLevel(level, units, capacity)
  }
  sellUpTo(Infinity)
  return level
}

/** Of two entries at one instant the count comes last: it was taken of what is in the slot then. */
const byTime = (a: BookEntry, b: BookEntry): number =>
  a.at - b.at || (a.kind === 'count' ? 1 : 0) - (b.kind === 'count' ? 1 : 0)
