/** Which machines and slots a new run covers: what the plan orders, with the machines and quantities a person chose. Pure. */
import type { RunRequest } from '../../../../contract/shapes/run.ts'
import { DELIVERED_LINES_MAX, PROBLEMS_MAX } from '../../../../contract/limits.ts'
import { type ErrorMessage, error } from '../../../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../../../kernel/outcome.ts'
import type { CurrentPlan } from '../../plan/get-plan.ts'
import { type PlanEntry, roomAtArrival } from '../../planner/machine-plan.ts'
import type { PlannedLine } from './draft-lines.ts'

/** As many as one receipt can count; the rest is left to the next run. */
const LINES_MAX = DELIVERED_LINES_MAX

/** The machines of a run. Those that are not due are visited because a person chose them. */
export interface ChosenMachines {
  readonly has: (location: string) => boolean
  readonly notDue: ReadonlySet<string>
  /** Nobody chose machines: the run is that of all that are due. */
  readonly isWholeRoute: boolean
}

export interface ChosenLines {
  readonly machines: ChosenMachines
  readonly lines: readonly PlannedLine[]
}

export function chooseLines(current: CurrentPlan, request: RunRequest): Outcome<ChosenLines> {
  const machines = chooseMachines(current, request)
  if (!machines.ok) return machines
  const quantities = chosenQuantities(current, machines.value, request.lines ?? [])
  if (!quantities.ok) return quantities
  return accept({ machines: machines.value, lines: plannedLines(current, machines.value, quantities.value) })
}

/** All machines that are due; of an area those, or all of it when none is; or the machines that were named. */
function chooseMachines({ plan }: CurrentPlan, { area, locations }: RunRequest): Outcome<ChosenMachines> {
  const due = new Set(plan.visits.flatMap(({ location, visit }) => (visit.go ? [location] : [])))
  const choose = (all: readonly string[]): Outcome<ChosenMachines> => {
    const chosen = new Set(all)
    const isWholeRoute = area === undefined && locations === undefined
    return accept({ has: (location) => chosen.has(location), notDue: chosen.difference(due), isWholeRoute })
  }
  if (locations !== undefined) {
    const known = new Set(plan.visits.map(({ location }) => location))
    const missing = locations.findIndex((location) => !known.has(location))
    return missing < 0 ? choose(locations) : refuse('not_found', 'Machine not found', `$.locations[${missing}]`)
  }
  if (area === undefined) return choose([...due])
  const members = plan.areas
    .filter((each) => each.area === area)
    .flatMap(({ machines }) => machines.map(({ rated }) => rated.machine.location))
  if (members.length === 0) return refuse('not_found', 'No machine belongs to this area', '$.area')
  const dueMembers = members.filter((location) => due.has(location))
  return choose(dueMembers.length > 0 ? dueMembers : members)
}

/** The quantities that a person set, by slot id; 0 leaves the slot out. */
function chosenQuantities(
  { input, plan }: CurrentPlan,
  machines: ChosenMachines,
  lines: NonNullable<RunRequest['lines']>,
): Outcome<ReadonlyMap<string, number>> {
  const entries = new Map(plan.plans.map((entry) => [entry.slotId, entry]))
  const quantities = new Map<string, number>()
  const problems: ErrorMessage[] = []
  lines.forEach(({ slot_id: slotId, quantity }, i) => {
    const problem = quantities.has(slotId)
      ? { code: 'invalid' as const, text: `${slotId} is listed twice`, member: 'slot_id' }
      : findProblem(entries.get(slotId), input.slots.get(slotId)?.capacity ?? null, quantity, machines)
    if (problem) problems.push(error(problem.code, problem.text, `$.lines[${i}].${problem.member}`))
    else quantities.set(slotId, quantity)
  })
  return problems.length === 0 ? accept(quantities) : refuseAll(problems.slice(0, PROBLEMS_MAX))
}

interface Problem {
  readonly code: 'invalid' | 'not_found'
  readonly text: string
  readonly member: 'slot_id' | 'quantity'
}

function findProblem(
  entry: PlanEntry | undefined,
  capacity: number | null,
  quantity: number,
  machines: ChosenMachines,
): Problem | undefined {
  if (!entry) return { code: 'not_found', text: 'The plan has no such slot', member: 'slot_id' }
  const invalid = (text: string, member: Problem['member'] = 'slot_id'): Problem => ({ code: 'invalid', text, member })
  const { slotId, location, recommendation } = entry
  if (!machines.has(location)) return invalid(`${location} is not part of this run; add it to locations`)
  if (quantity === 0) return undefined
  if (recommendation.action === 'locked') return invalid(`${slotId} is locked`)
  if (recommendation.action === 'phase_out') return invalid(`${slotId} holds a product that is phased out`)
  if (recommendation.because === 'hard_no_go') return invalid(`${slotId} holds a product of the no-go list`)
  if (recommendation.because) return invalid(`${slotId} holds a product that no supplier is linked to`)
  if (recommendation.action === 'in_transit') return invalid(`An order for ${slotId} is in transit`)
  const most = roomAtArrival(entry, capacity)
  return most !== null && quantity > most ? invalid(`${slotId} has room for ${most}`, 'quantity') : undefined
}

/**
 * What the plan orders, or would order if the machine were visited. Slots that another run, not placed yet, covers are
 * included: nothing was ordered for them, and placing removes the lines of whichever run is placed second.
 */
function plannedLines(
  { input, plan }: CurrentPlan,
  machines: ChosenMachines,
  quantities: ReadonlyMap<string, number>,
): PlannedLine[] {
  const { slots } = input
  const planned: PlannedLine[] = []
  for (const entry of plan.plans) {
    const { slotId, location: machine } = entry
    if (!machines.has(machine)) continue
    const quantity = quantities.get(slotId) ?? visitUnits(entry)
    const slot = slots.get(slotId)
    if (!quantity || !slot) continue
    const { location, vendorSku, skuId, title } = slot
    const figures = { stock: entry.stock, dailyRate: entry.demand.dailyRate, daysOfCover: entry.daysOfCover }
    planned.push({ location, vendorSku, slotId, skuId, title, retailFen: slot.price, quantity, plan: figures })
    if (planned.length === LINES_MAX) break
  }
  return planned
}

/** What a visit brings to the slot. */
function visitUnits({ recommendation: { action, quantity }, basis }: PlanEntry): number | undefined {
  if (action === 'order') return quantity
  return action === 'watch' || action === 'none' ? basis.unitsIfVisited : 0
}
