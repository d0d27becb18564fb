/** The trips of the coming days: which machines are visited together. */
import { type Static, Type } from 'typebox'
import { Count, ENVELOPE, PostalAddress } from '../common.ts'
import { TRIP_DAYS_DEFAULT, TRIP_DAYS_MAX, WORD_MAX } from '../limits.ts'
import { answer, list, nullable, request, text } from '../schema-helpers.ts'
import { RhythmDays, VisitReason, Waiting, Worth } from './replenishment.ts'

const LocalDate = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

const TripMachine = answer('TripMachine', {
  location: Type.String(),
  why: VisitReason,
  load: Count,
  lines: Count,
  waiting: Type.Optional(Waiting),
  waiting_until_next: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Margin lost by waiting for the next trip, in minor units.' }),
  ),
  rhythm_days: Type.Optional(RhythmDays),
})

const TripStop = answer('TripStop', {
  sequence: Type.Integer({ minimum: 1 }),
  site: Type.String(),
  locations: list(TripMachine),
  address: Type.Optional(PostalAddress),
  distance_m: Type.Optional(Type.Integer({ minimum: 0, description: 'From the stop before, or from the depot.' })),
  minutes: Type.Integer({ minimum: 0, description: 'Driving there, and the stop.' }),
})

export const Trip = answer('Trip', {
  date: LocalDate,
  arrives_on: Type.Optional({ ...LocalDate, description: 'When what is ordered on `date` is expected.' }),
  firm: Type.Boolean({ description: 'Today: a run created now visits these machines. Later trips are a forecast.' }),
  area: Type.String(),
  areas: Type.Optional(list(Type.String())),
  due_because: answer('TripDue', {
    waiting: Type.Integer({ minimum: 0, description: 'Margin that the due machines lose by waiting, in minor units.' }),
    worth: Type.Integer({ minimum: 0, description: 'The loss from which the trip is worth it, in minor units.' }),
  }),
  stops: list(TripStop),
  units: Count,
  lines: Count,
  goods_cost: Type.Integer({ minimum: 0 }),
  driving: answer('TripDriving', {
    distance_m: Type.Optional(Type.Integer({ minimum: 0 })),
    minutes: Type.Integer({ minimum: 0 }),
    cost: Type.Integer({ minimum: 0 }),
  }),
})
export type Trip = Static<typeof Trip>

const WaitingMachine = answer('WaitingMachine', {
  location: Type.String(),
  next_due_on: nullable(LocalDate),
  risk_share: Type.Number({ minimum: 0 }),
  load: Count,
  why: VisitReason,
  waiting: Type.Optional(Waiting),
  worth: Type.Optional(Worth),
})

export const TripList = answer('TripList', {
  ...ENVELOPE,
  strategy_version: Type.String(),
  currency: Type.String({ description: 'Of all amounts.' }),
  params: answer('TripParams', {
    trip_cost: Type.Number({ minimum: 0 }),
    stop_cost: Type.Optional(Type.Number({ minimum: 0 })),
    review_days: Type.Number({ minimum: 0 }),
    days: Type.Integer({ minimum: 1 }),
  }),
  trips: list(Trip),
  waiting: Type.Immutable(
    Type.Array(WaitingMachine, { description: 'The machines that no trip of today visits, and why.' }),
  ),
})
export type TripList = Static<typeof TripList>

export const TripsQuery = request('TripsQuery', {
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: TRIP_DAYS_MAX, default: TRIP_DAYS_DEFAULT })),
  area: Type.Optional(text(WORD_MAX)),
})
export type TripsQuery = Static<typeof TripsQuery>
