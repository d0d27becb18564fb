/** What `layOut` needs of a machine whose rates the planner knows. */
import type { RatedMachine } from '../machine-plan.ts'
import { isDeadStock } from '../demand/demand.ts'
import type { LayoutMachine, LayoutProduct } from './layout.ts'

export interface LanesOfMachine {
  readonly lanesOf: (slot: { readonly slotId: string; readonly sku: string }) => readonly Lane[]
  readonly categoryOf: (sku: string) => string | undefined
  readonly isPinned: (slotId: string) => boolean
  readonly visitCostFen: number
  readonly leadDays: number
}
interface Lane {
  readonly lane: string
  readonly capacity: number
  /** It stays with its product for now. */
  readonly isFixed?: boolean
}

/** A lane is changed for months, so its product is judged by more days than a visit is planned by. */
export const LAYOUT_WINDOW_DAYS = 90
/** A product has to be in stock this long before its lanes are judged. */
const KNOWN_DAYS_MIN = 14

export function toLayoutMachine(
  { slots, openShare }: RatedMachine,
  { lanesOf, categoryOf, isPinned, visitCostFen, leadDays }: LanesOfMachine,
): LayoutMachine {
  return {
    lanes: slots.flatMap(({ slot, observation }) => {
      const { locked, isPhasedOut, blocked, isInTransit } = slot
      const isFixed = locked || isInTransit || observation.rateDays < KNOWN_DAYS_MIN
      // What is phased out or cannot be bought leaves its lanes sooner or later, but not by way of the layout.
      return lanesOf(slot).map((lane) => ({
        ...lane,
        sku: slot.sku,
        isFixed: isFixed || lane.isFixed === true || isPhasedOut === true || !!blocked,
      }))
    }),
    products: slots.map(({ slot, observation, rate, missedFen }): LayoutProduct => {
      const { locked, isPhasedOut, blocked, par } = slot
      return {
        sku: slot.sku,
        rate,
        missedFen,
        category: categoryOf(slot.sku),
        isPinned: isPinned(slot.slotId) || par !== undefined,
        mayGrow:
          !locked &&
          isPhasedOut !== true &&
          blocked === undefined &&
          observation.rateDays >= KNOWN_DAYS_MIN &&
          !isDeadStock(observation),
      }
    }),
    visitCostFen,
    openShare,
    leadDays,
  }
}
