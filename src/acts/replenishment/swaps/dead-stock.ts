/** Products that stand in machines and do not sell. Pure. */
import type { CurrentPlan } from '../plan/get-plan.ts'

export interface DeadStock {
  readonly location: string
  readonly slotId: string
  readonly sku: string
  readonly units: number
  /** What its goods are worth, over the eight weeks in which another machine sells them. */
  readonly weeklyFen: number
}

/** Days in stock without a sale. */
const DEAD_DAYS = 30
/** In which another machine sells what was taken out. */
export const WEEKS_TO_SELL = 8

/** Where the cost of a unit is not known nobody can say what it is worth to take it out. */
export const listDeadStock = ({ input, plan }: CurrentPlan): readonly DeadStock[] =>
  plan.areas.flatMap(({ machines }) =>
    machines.flatMap(({ rated }) =>
      rated.slots.flatMap(({ slot, observation }): DeadStock[] => {
        const units = input.slots.get(slot.slotId)?.stock ?? 0
        const isDead = observation.rateUnits === 0 && observation.rateDays >= DEAD_DAYS
        if (!isDead || units === 0 || slot.costFen === undefined || slot.locked || slot.isPhasedOut === true) return []
        const { location } = rated.machine
        return [
          { location, slotId: slot.slotId, sku: slot.sku, units, weeklyFen: (units * slot.costFen) / WEEKS_TO_SELL },
        ]
      }),
    ),
  )
