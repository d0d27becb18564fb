/** Which slots wait for a visit, and when one is expected to be due. */
import { DAY } from '../../../kernel/clock.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { nextVisitDates } from '../planner/trips/coming-trips.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import type { Plan } from '../planner/plan.ts'
import type { PlanInput } from './load-input.ts'

/** Days that are looked ahead. */
export const NEXT_DUE_DAYS = 14
/** Of more machines than this a plan does not work it out: the trips of the coming days say it. */
const MACHINES_MAX = 200

export interface WaitingSlots {
  /** Those in transit included. */
  empty: number
  /** With stock. */
  atRisk: number
}

/** By machine; those without such slots are left out. */
export function countWaitingSlots(plans: readonly PlanEntry[]): ReadonlyMap<string, Readonly<WaitingSlots>> {
  const counts = new Map<string, WaitingSlots>()
  for (const { location, stock, basis } of plans) {
    if (stock > 0 && !basis.atRisk) continue
    const own = counts.get(location) ?? { empty: 0, atRisk: 0 }
    counts.set(location, own)
    if (stock === 0) own.empty++
    else own.atRisk++
  }
  return counts
}

type Planned = { readonly input: Pick<PlanInput, 'settings'>; readonly plan: Plan }

/** As local dates like those of trips; a machine that is left out is not due within the days. */
export async function findNextDates(
  { input, plan }: Planned,
  machines: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const steps = nextVisitDates(input.settings, plan, machines, NEXT_DUE_DAYS)
  let step = steps.next()
  while (!step.done) {
    await yieldToEventLoop()
    step = steps.next()
  }
  return step.value
}

/** By machine; null: not due within the days. Machines that do not wait are left out. */
export type NextDates = ReadonlyMap<string, number | null>

/** Of the machines that wait while slots are empty or at risk. */
export async function findNextDatesOfWaiting(planned: Planned, visits: Plan['visits']): Promise<NextDates | undefined> {
  const counts = countWaitingSlots(planned.plan.plans)
  const waiting = new Set(
    visits.flatMap(({ location, visit }) => (!visit.go && counts.has(location) ? [location] : [])),
  )
  if (waiting.size > MACHINES_MAX) return undefined
  const dates = await findNextDates(planned, waiting)
  return new Map([...waiting].map((location) => [location, dates.get(location) ?? null]))
}

/** A local day as its date. */
export const dateView = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)
