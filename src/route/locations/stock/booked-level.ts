/** The stock of a slot by our own book, where its platform reports none: counts, receipts and sales in order of time. */

export interface BookEntry {
  readonly at: number
  /** A count sets the level, a receipt adds to it, a removal takes from it. */
  readonly kind: 'count' | 'receipt' | 'removal'
  readonly units: number
}

/** Where the stock of a slot comes from: its platform, our own book, or nowhere. */
export type StockSource = 'told' | 'kept' | 'unknown'

/** More cannot be loaded than fits, but what is in the slot stays, even above its capacity. */
export const raisedLevel = (level: number, units: number, capacity: number | null): number =>
  capacity === null ? level + units : Math.max(level, Math.min(capacity, level + units))

/** More cannot be taken out than is there. */
export const loweredLevel = (level: number, units: number): number => Math.max(0, level - units)

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
    else if (level !== null)
      level = kind === 'receipt' ? raisedLevel(level, units, capacity) : loweredLevel(level, units)
  }
  sellUpTo(Infinity)
  return level
}

/** At one instant old units are taken out before new ones are loaded, and what is in the slot then is counted last. */
const ORDER: Readonly<Record<BookEntry['kind'], number>> = { removal: 0, receipt: 1, count: 2 }

const byTime = (a: BookEntry, b: BookEntry): number => a.at - b.at || ORDER[a.kind] - ORDER[b.kind]
