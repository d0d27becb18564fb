/** What is too old to be sold: the units of a lane in the order in which they were loaded. */
import { DAY } from '../../kernel/clock.ts'
import type { Category } from './product-table.ts'

/** Days after loading; categories that are not named keep longer than any unit stays in a machine. */
const SHELF_DAYS: Partial<Record<Category, number>> = { 乳品: 21, 果汁: 60, 方便食品: 120, 零食: 120 }

export interface Batch {
  readonly at: number
  units: number
}

/** Takes units, oldest first. */
export function takeOldest(batches: Batch[], units: number): void {
  for (let left = units; left > 0 && batches[0];) {
    const taken = Math.min(left, batches[0].units)
    batches[0].units -= taken
    left -= taken
    if (batches[0].units === 0) batches.shift()
  }
}

/** Units that are past their time. */
export function expiredUnits(batches: readonly Batch[], category: Category, now: number): number {
  const days = SHELF_DAYS[category]
  if (days === undefined) return 0
  return batches.reduce((total, { at, units }) => total + (now - at > days * DAY ? units : 0), 0)
}
