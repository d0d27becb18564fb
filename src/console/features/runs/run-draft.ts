/** The machines and quantities a person chooses for a run, before it is created. Pure. */
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import type { RunRequest } from '../../../contract/shapes/run.ts'

export interface RunDraft {
  readonly machines: ReadonlySet<string>
  /** By slot id: only quantities that differ from the plan. */
  readonly quantities: ReadonlyMap<string, number>
}

/** What a run brings to the slot if its machine is chosen. */
export const plannedUnits = ({ recommendation, if_visited: ifVisited }: PlanEntry): number =>
  recommendation.quantity ?? ifVisited ?? 0

export const isAdjustable = ({ recommendation: { action } }: PlanEntry): boolean =>
  action !== 'locked' && action !== 'in_transit' && action !== 'phase_out'

export const unitsOf = ({ quantities }: RunDraft, entry: PlanEntry): number =>
  quantities.get(entry.slot_id) ?? plannedUnits(entry)

export const dueMachines = ({ visits = [] }: Pick<ReplenishmentPlan, 'visits'>): ReadonlySet<string> =>
  new Set(visits.flatMap(({ location, go }) => (go ? [location] : [])))

/** The quantity, at most what fits; a quantity as planned is no change. */
export function withQuantity(draft: RunDraft, entry: PlanEntry, units: number): RunDraft {
  const fitting = Math.max(0, Math.min(Math.floor(units), entry.room ?? Number.MAX_SAFE_INTEGER))
  const quantities = new Map(draft.quantities)
  if (fitting === plannedUnits(entry)) quantities.delete(entry.slot_id)
  else quantities.set(entry.slot_id, fitting)
  return { ...draft, quantities }
}

export function withMachine(draft: RunDraft, location: string, isChosen: boolean): RunDraft {
  const machines = new Set(draft.machines)
  if (isChosen) machines.add(location)
  else machines.delete(location)
  return { ...draft, machines }
}

/** Without a choice of machines where these are the due ones, as the service takes them by itself. */
export function runRequest(plan: Pick<ReplenishmentPlan, 'plans' | 'visits'>, draft: RunDraft): RunRequest {
  const { machines, quantities } = draft
  const lines = plan.plans.flatMap(({ slot_id, location }) => {
    const quantity = quantities.get(slot_id)
    return quantity === undefined || !machines.has(location) ? [] : [{ slot_id, quantity }]
  })
  const isDueOnly = dueMachines(plan).symmetricDifference(machines).size === 0
  return {
    ...(isDueOnly ? {} : { locations: [...machines] }),
    ...(lines.length === 0 ? {} : { lines }),
  }
}

/** Gives `extra` units to slots of the chosen machines that have room, one at a time to the one that lasts shortest. */
export function spreadExtra(entries: readonly PlanEntry[], draft: RunDraft, extra: number) {
  const open = entries.filter((entry) => isAdjustable(entry) && draft.machines.has(entry.location))
  let next = draft
  /** Units that found room. */
  let used = 0
  for (; used < extra; used++) {
    const [least] = open
      .filter((entry) => entry.room === undefined || unitsOf(next, entry) < entry.room)
      .toSorted((a, b) => daysWith(next, a) - daysWith(next, b))
    if (!least) break
    next = withQuantity(next, least, unitsOf(next, least) + 1)
  }
  return { draft: next, used }
}

/** A slot that does not sell comes last. */
const daysWith = (draft: RunDraft, entry: PlanEntry): number =>
  entry.demand.daily_rate <= 0
    ? Number.MAX_SAFE_INTEGER
    : (entry.stock + unitsOf(draft, entry)) / entry.demand.daily_rate
