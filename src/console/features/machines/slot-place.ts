/** Where a slot is in its machine, in the same words on every page. */
import type { SlotPosition } from '../../../contract/shapes/catalog.ts'

interface Placed {
  readonly position?: SlotPosition | undefined
  /** The platform's name of the lane. */
  readonly lane?: string | undefined
}

/** `A-1` where the position is known, else the name of the lane, else the end of the slot's id. */
export const slotPlace = (slotId: string, { position, lane }: Placed): string =>
  position ? `${position.row}-${position.column}` : (lane ?? slotId.replace(/^.*?[-:/](?=[^-:/]+$)/, ''))
