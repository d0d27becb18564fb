/** GET /replenishment/trips: which machines are visited together, when and in which order. Writes nothing. */
import type { Reply } from '../../../contract/handlers.ts'
import { TRIP_DAYS_DEFAULT } from '../../../contract/limits.ts'
import type { Trip as WireTrip, TripList, TripsQuery } from '../../../contract/shapes/trips.ts'
import type { LocationId } from '../../../kernel/ids.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { addressOf } from '../../../route/locations/index.ts'
import { type Trip, type TripPlan, type WaitingMachine, planTrips } from '../planner/trips/coming-trips.ts'
import { type CurrentPlan, computePlan } from './get-plan.ts'
import { dateView } from './next-due.ts'
import type { PlanDeps, PlanInput } from './load-input.ts'
import { amountsView, riskShareView, unknownStockWarnings } from './view.ts'

/** The trips of the days ahead, worked out in slices. */
export async function computeTrips({ input, plan }: CurrentPlan, days: number): Promise<TripPlan> {
  const steps = planTrips(input.settings, plan, days)
  let step = steps.next()
  while (!step.done) {
    await yieldToEventLoop()
    step = steps.next()
  }
  return step.value
}

export async function getTrips(
  ctx: PlanDeps,
  { days = TRIP_DAYS_DEFAULT, area }: TripsQuery,
): Promise<Reply<'getTrips'>> {
  const current = await computePlan(ctx)
  const { input, plan } = current
  const { trips, waiting } = await computeTrips(current, days)
  const areaOf = new Map(
    plan.areas.flatMap(({ area: name, machines }) =>
      machines.map(({ rated }) => [rated.machine.location, name] as const),
    ),
  )
  const { trip_cost, stop_cost, visit_cost } = plan.params
  const stopCost = stop_cost ?? visit_cost
  const messages = [...unknownStockWarnings(plan, input), ...input.messages]
  const body: Omit<TripList, 'ucp'> = {
    strategy_version: plan.strategyVersion,
    currency: ctx.config.currency,
    params: {
      trip_cost: trip_cost ?? 0,
      ...(stopCost === null ? {} : { stop_cost: stopCost }),
      review_days: input.settings.reviewDays,
      days,
    },
    trips: trips.filter(({ areas }) => area === undefined || areas.includes(area)).map((trip) => tripView(trip, input)),
    waiting: waiting.filter(({ location }) => area === undefined || areaOf.get(location) === area).map(waitingView),
    ...(messages.length > 0 ? { messages } : {}),
  }
  return { body }
}

function tripView(trip: Trip, { locations }: PlanInput): WireTrip {
  const [area = ''] = trip.areas
  return {
    date: dateView(trip.date),
    arrives_on: dateView(trip.arrivalDate),
    firm: trip.day === 0,
    area,
    ...(trip.areas.length > 1 ? { areas: trip.areas } : {}),
    due_because: { waiting: Math.round(trip.lossByWaitingFen), worth: Math.round(trip.tripThresholdFen) },
    stops: trip.stops.map(({ site, machines, legM, minutes }, i) => {
      const known = locations.get(machines[0]!.location as LocationId)
      const address = known && addressOf(known.profile)
      return {
        sequence: i + 1,
        site,
        locations: machines.map(({ location, visit, lines }) => ({
          location,
          why: visit.why,
          load: visit.load,
          lines,
          ...(visit.lossByWaitingFen === null ? {} : { waiting: Math.round(visit.lossByWaitingFen) }),
          ...(visit.lossUntilNextTripFen === null
            ? {}
            : { waiting_until_next: Math.round(visit.lossUntilNextTripFen) }),
          ...(visit.rhythmDays === null ? {} : { rhythm_days: visit.rhythmDays }),
        })),
        ...(address && { address }),
        ...(legM === undefined ? {} : { distance_m: legM }),
        minutes,
      }
    }),
    units: trip.units,
    lines: trip.lines,
    goods_cost: trip.productCostFen,
    driving: {
      ...(trip.distanceM === undefined ? {} : { distance_m: trip.distanceM }),
      minutes: trip.minutes,
      cost: trip.costFen,
    },
  }
}

const waitingView = ({ location, visit, nextDate }: WaitingMachine): TripList['waiting'][number] => ({
  location,
  next_due_on: nextDate === null ? null : dateView(nextDate),
  risk_share: riskShareView(visit),
  load: visit.load,
  why: visit.why,
  ...amountsView(visit),
})
