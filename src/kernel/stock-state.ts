/** What "empty" and "low" mean, the same on every page of the console and in the command line. */

/** In stock, but expected to be sold out within this many days. */
const LOW_DAYS = 1

export type StockState = 'unknown' | 'empty' | 'low' | 'ok'

/** `daysOfCover`: as planned; null where no stock-out is expected, undefined where there is no plan for the slot. */
export function stockState(stock: number | null, daysOfCover: number | null | undefined): StockState {
  if (stock === null) return 'unknown'
  if (stock <= 0) return 'empty'
  return typeof daysOfCover === 'number' && daysOfCover < LOW_DAYS ? 'low' : 'ok'
}
