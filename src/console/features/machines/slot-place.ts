/** Where a slot is in its machine, in the same words on every page, and the shelves it stands on. */
import type { SlotPosition } from '../../../contract/shapes/catalog.ts'
import { byName } from '../../lib/text/natural-order.ts'

interface Placed {
  readonly position?: SlotPosition | undefined
  /** The platform's name of the lane. */
  readonly lane?: string | undefined
}

/** `A-1` where the position is known, else the name of the lane, else the end of the slot's id. */
export const slotPlace = (slotId: string, { position, lane }: Placed): string =>
  position ? `${position.row}-${position.column}` : (lane ?? slotId.replace(/^.*?[-:/](?=[^-:/]+$)/, ''))

/** More would be too narrow to read: they stand one after the other. */
const COLUMNS_MAX = 10

export interface Shelf<T> {
  /** Undefined: slots whose place is not known. */
  readonly row: string | undefined
  /** Of the widest shelf, where each slot can stand at its column. */
  readonly columns: number | undefined
  readonly slots: readonly T[]
}

/** In physical order: shelves by name, slots by column; those without a place come last, 2 before 10. */
export function shelvesOf<T>(
  slots: readonly T[],
  of: (slot: T) => Placed & { readonly id: string },
): readonly Shelf<T>[] {
  const rowOf = (slot: T) => of(slot).position?.row
  const columnOf = (slot: T) => of(slot).position?.column ?? 0
  const placeOf = (slot: T) => slotPlace(of(slot).id, of(slot))
  const widest = Math.max(0, ...slots.map(columnOf))
  return [...Map.groupBy(slots, rowOf)]
    .toSorted(([a], [b]) => Number(a === undefined) - Number(b === undefined) || byName(a ?? '', b ?? ''))
    .map(([row, inside]) => {
      const sorted = inside.toSorted((a, b) => columnOf(a) - columnOf(b) || byName(placeOf(a), placeOf(b)))
      // Two slots in one place are not drawn over each other.
      const isApart = new Set(inside.map(columnOf)).size === inside.length && inside.every((slot) => columnOf(slot) > 0)
      return { row, columns: row !== undefined && isApart && widest <= COLUMNS_MAX ? widest : undefined, slots: sorted }
    })
}
