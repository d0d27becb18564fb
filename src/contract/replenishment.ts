/** Section 2.8: the plan, restock runs, and forecast accuracy. */
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { PlanParams as Params } from '../kernel/plan-params.ts'
import { UnitCode } from './catalog.ts'
import { CheckoutStatus } from './checkout.ts'
import {
  Actions,
  Count,
  Cursor,
  ENVELOPE,
  ItemReference,
  LocationId,
  Messages,
  NullableNumber,
  PAGED,
  PaginationResponse,
  PostalAddress,
  Price,
  SkuId,
  SlotId,
  Timestamp,
  UcpEnvelope,
  DRY_RUN,
} from './common.ts'
import {
  DELIVERED_LINES_MAX,
  PLAN_PAGE_MAX,
  QUANTITY_MAX,
  REASON_SENT_MAX,
  RECOMMENDATION_LINES_MAX,
  RECOMMENDATION_REASON_MAX,
  SCORE_HORIZON_DAYS_DEFAULT,
  SCORE_HORIZON_DAYS_MAX,
  SUMMARY_MAX,
  RUN_LOCATIONS_MAX,
  TRIP_DAYS_DEFAULT,
  TRIP_DAYS_MAX,
  WORD_MAX,
} from './limits.ts'
import { ORDER, ORDER_LINE_ITEM } from './order.ts'
import { By } from './people.ts'
import { answer, list, nullable, oneOf, request, text } from './schema-helpers.ts'
import { RunVisit } from './service.ts'
import { RunStatus } from './run-status.ts'

export { RunStatus }

const {
  visit_rule,
  visit_cost: _visitCost,
  room_lead_share,
  cover_rule,
  top_up,
  one_visit_at_a_time,
  small_machine_slots,
  trip_cost: _tripCost,
  stop_cost: _stopCost,
  ...contractParams
} = Params.properties

/** The five of the contract, and what else shaped the plan. */
const PlanParams = Type.Object(
  {
    ...contractParams,
    review_days: Type.Optional(Type.Number({ minimum: 0, description: 'Usual days between two runs.' })),
    visit_rule: Type.Optional(visit_rule),
    visit_cost: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Whole minor units for one visit, where configured.' }),
    ),
    room_lead_share: Type.Optional(room_lead_share),
    cover_rule: Type.Optional(cover_rule),
    top_up: Type.Optional(top_up),
    one_visit_at_a_time: Type.Optional(one_visit_at_a_time),
    small_machine_slots: Type.Optional(small_machine_slots),
    trip_cost: Type.Optional(
      Type.Number({ minimum: 0, description: 'Minor units for one trip, shared by its stops, where configured.' }),
    ),
    stop_cost: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Minor units for one stop, shared by the machines of a site, where configured.',
      }),
    ),
  },
  { title: 'PlanParams' },
)
export type PlanParams = Static<typeof PlanParams>

const LeadTime = answer('LeadTime', {
  days: Type.Number({ minimum: 0 }),
  source: oneOf(['measured', 'stated']),
  samples: Count,
})
export type LeadTime = Static<typeof LeadTime>

const Demand = answer('Demand', {
  daily_rate: Type.Number({ minimum: 0 }),
  naive_daily_rate: Type.Number({ minimum: 0 }),
  available_days: Count,
  empty_days: Count,
  closed_days: Count,
  measured: Type.Boolean({ description: 'False: estimated, because the slot was never in stock.' }),
})
export type Demand = Static<typeof Demand>

const PlanAction = oneOf(['order', 'watch', 'none', 'locked', 'in_transit', 'phase_out'], {
  description: '`phase_out`: nothing more is ordered of this product; what is there sells off.',
})

const Recommendation = answer('Recommendation', {
  action: PlanAction,
  quantity: Type.Optional(Type.Integer({ minimum: 1, description: 'With `order` only.' })),
})
export type Recommendation = Static<typeof Recommendation>

/** The supplier sells this product only in larger quantities. */
const Rounding = answer('PlanRounding', {
  sku_id: SkuId,
  unit: UnitCode,
  contains: Type.Integer({ minimum: 1, description: 'Items in one unit.' }),
  quantity: Type.Integer({ minimum: 1, description: 'Units that would be ordered for the whole plan.' }),
  needed: Type.Integer({ minimum: 1, description: 'Items that all slots of the plan need.' }),
  ordered: Type.Integer({ minimum: 1, description: 'Items that would be ordered for them.' }),
})

export const PlanEntry = answer('PlanEntry', {
  slot_id: Type.String(),
  location: Type.String(),
  item: answer('PlanItem', { id: SkuId, title: Type.String() }),
  stock: Count,
  stock_source: Type.Optional(
    oneOf(['kept'], {
      description: 'The machine platform reports no stock; this is our own count minus the sales since.',
    }),
  ),
  counted_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When it was last counted or refilled, while no newer reading replaced it.',
    }),
  ),
  capacity: Type.Optional(nullable(Type.Integer())),
  par: Type.Optional(Type.Integer({ description: 'The level to fill to, as an operator stated it.' })),
  price: Type.Optional(Price),
  demand: Demand,
  days_of_cover: nullable(Type.Number({ minimum: 0 })),
  stockout_at: nullable(Timestamp),
  empty_since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Since when the slot is empty, where the history shows it.' }),
  ),
  at_risk: Type.Optional(Type.Boolean({ description: 'Likely empty before a delivery ordered now arrives.' })),
  target: Type.Optional(Type.Number({ minimum: 0, description: 'Stock that would cover lead time and cover days.' })),
  recommendation: Recommendation,
  if_visited: Type.Optional(
    Type.Integer({ minimum: 1, description: 'What a run brings if the machine is chosen although it is not due.' }),
  ),
  rounding: Type.Optional(Rounding),
  room: Type.Optional(Type.Integer({ minimum: 0, description: 'The most that a run may bring, where it is known.' })),
  pending_run: Type.Optional(Type.String({ description: 'The oldest run, not yet placed, that covers this slot.' })),
})
export type PlanEntry = Static<typeof PlanEntry>

const VisitReason = oneOf(
  ['due', 'joins', 'same_site', 'small_machine', 'sold_out', 'not_due', 'limit', 'in_transit', 'closed', 'locked'],
  {
    description:
      '`joins`: waiting for the next trip would cost more. `same_site`: another machine of its site is visited. `limit`: it did not fit into the trip. `closed`: closed, or no service day, when an order would arrive.',
  },
)
const Waiting = Type.Integer({ minimum: 0, description: 'Margin lost by waiting for the next review, in minor units.' })
const Worth = Type.Integer({ minimum: 0, description: 'The loss from which a visit is worth it, in minor units.' })
const RhythmDays = Type.Integer({ minimum: 1, description: 'Days between visits that cost least.' })

export const MachineVisit = answer('MachineVisit', {
  location: Type.String(),
  go: Type.Boolean({ description: 'Visited with the trip of today.' }),
  risk_share: Type.Number({ minimum: 0, description: 'Share of its sales value at risk.' }),
  load: Count,
  waiting: Type.Optional(Waiting),
  worth: Type.Optional(Worth),
  rhythm_days: Type.Optional(RhythmDays),
  why: Type.Optional(VisitReason),
  site: Type.Optional(Type.String({ description: 'Machines of one site are one stop.' })),
})
export type MachineVisit = Static<typeof MachineVisit>

export const ReplenishmentPlan = answer('ReplenishmentPlan', {
  ...ENVELOPE,
  strategy_version: Type.String(),
  params: PlanParams,
  lead_time: LeadTime,
  plans: list(PlanEntry),
  visits: Type.Optional(list(MachineVisit)),
  pagination: Type.Optional(PaginationResponse),
})
export type ReplenishmentPlan = Static<typeof ReplenishmentPlan>

/** Without any of these the whole plan comes in the order of its slots; with one, the most urgent slots come first. */
export const PlanQuery = request('PlanQuery', {
  location: Type.Optional(LocationId),
  action: Type.Optional(PlanAction),
  at_risk: Type.Optional(
    Type.Boolean({ description: 'Only slots that are, or are not, likely empty before a delivery arrives.' }),
  ),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Slots per page, at most ${PLAN_PAGE_MAX}.` })),
})
export type PlanQuery = Static<typeof PlanQuery>
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

export const RunRequest = request('RunRequest', {
  area: Type.Optional(
    Type.String({ minLength: 1, maxLength: WORD_MAX, description: 'Only the machines of this area.' }),
  ),
  locations: Type.Optional(
    Type.Array(LocationId, {
      minItems: 1,
      maxItems: RUN_LOCATIONS_MAX,
      description: 'Only these machines, also those that are not due.',
    }),
  ),
  lines: Type.Optional(
    Type.Array(
      request('RunRequestLine', { slot_id: SlotId, quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX }) }),
      {
        minItems: 1,
        maxItems: DELIVERED_LINES_MAX,
        description: 'Other quantities than planned, for slots of these machines; 0 leaves a slot out.',
      },
    ),
  ),
})
export type RunRequest = Static<typeof RunRequest>

const RunSource = answer('RunSource', { sku_id: SkuId, unit: UnitCode })
export type RunSource = Static<typeof RunSource>

export const RunLineItem = answer('RunLineItem', {
  ...ORDER_LINE_ITEM,
  slot_id: Type.String(),
  location: Type.String(),
  source: Type.Optional(RunSource),
  cost_is_estimated: Type.Optional(Type.Boolean()),
})
export type RunLineItem = Static<typeof RunLineItem>

const RunCheckout = answer('RunCheckout', { id: Type.String(), vendor: Type.String(), status: CheckoutStatus })
export type RunCheckout = Static<typeof RunCheckout>

export const ReplenishmentRun = answer('ReplenishmentRun', {
  ...ORDER,
  line_items: list(RunLineItem),
  status: RunStatus,
  created_at: Timestamp,
  placed_at: Type.Optional(Timestamp),
  delivered_at: Type.Optional(Timestamp),
  supplier: Type.Optional(Type.String({ description: '`simulated` while placement is simulated.' })),
  cost_is_estimated: Type.Boolean(),
  strategy_version: Type.Optional(Type.String()),
  checkouts: Type.Optional(list(RunCheckout)),
  visits: Type.Optional(
    Type.Immutable(Type.Array(RunVisit, { description: 'The machines of a placed run, each received or still open.' })),
  ),
  note: Type.Optional(Type.String()),
  by: Type.Optional(By),
  actions: Type.Optional(Actions),
  ...DRY_RUN,
})
export type ReplenishmentRun = Static<typeof ReplenishmentRun>

export const RunList = answer('RunList', {
  ucp: UcpEnvelope,
  runs: list(ReplenishmentRun),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
export type RunList = Static<typeof RunList>

export const RunQuery = request('RunQuery', { location: Type.Optional(LocationId) })
export type RunQuery = Static<typeof RunQuery>

export const RunListQuery = request('RunListQuery', { status: Type.Optional(RunStatus), ...PAGED })
export type RunListQuery = Static<typeof RunListQuery>

export const ReceiveRequest = request('ReceiveRequest', {
  delivered: Type.Array(
    request('DeliveredLine', {
      slot_id: SlotId,
      quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX }),
    }),
    { minItems: 1, maxItems: DELIVERED_LINES_MAX },
  ),
  note: Type.Optional(Type.String({ maxLength: SUMMARY_MAX })),
})
export type ReceiveRequest = Static<typeof ReceiveRequest>

/** Metrics over zero forecasts are null, never 0. */
export const ScoreReport = answer('ScoreReport', {
  scored: Count,
  excluded: Count,
  partly_empty: Count,
  units: Count,
  mae: NullableNumber,
  wape: NullableNumber,
  bias: NullableNumber,
  rel_mae: NullableNumber,
  naive_wape: NullableNumber,
  coverage_p95: NullableNumber,
  first_made_at: nullable(Timestamp),
  last_made_at: nullable(Timestamp),
})
export type ScoreReport = Static<typeof ScoreReport>

export const SlotScore = answer('SlotScore', {
  slot_id: Type.String(),
  location: Type.String(),
  scored: Count,
  mae: NullableNumber,
  bias: NullableNumber,
  last: nullable(
    answer('LastForecast', {
      made_at: Timestamp,
      forecast: Type.Number(),
      actual: Type.Number(),
      available_days: Type.Number(),
    }),
  ),
})
export type SlotScore = Static<typeof SlotScore>

const ScoreReports = answer('ScoreReports', {
  overall: ScoreReport,
  by_location: Type.Record(Type.String(), ScoreReport),
  by_speed: answer('ScoreBySpeed', { slow: ScoreReport, mid: ScoreReport, fast: ScoreReport }),
  by_measured: answer('ScoreByMeasured', { measured: ScoreReport, inferred: ScoreReport }),
  slots: list(SlotScore),
})
export type ScoreReports = Static<typeof ScoreReports>

export const Score = answer('Score', {
  ...ENVELOPE,
  horizon_days: Type.Integer({ minimum: 1 }),
  total_forecasts: Count,
  pending: Type.Integer({ minimum: 0, description: 'Too recent to be scored.' }),
  reports: ScoreReports,
})
export type Score = Static<typeof Score>

export const ScoreQuery = request('ScoreQuery', {
  horizon_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: SCORE_HORIZON_DAYS_MAX, default: SCORE_HORIZON_DAYS_DEFAULT }),
  ),
})
export type ScoreQuery = Static<typeof ScoreQuery>

export const RestockRequest = request('RestockRequest', {
  reference: text(WORD_MAX),
  line_items: Type.Array(
    request('RestockLine', {
      item: ItemReference,
      quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
      reason: Type.String({
        maxLength: REASON_SENT_MAX,
        description: `Truncated at ${RECOMMENDATION_REASON_MAX} characters.`,
      }),
    }),
    { minItems: 1, maxItems: RECOMMENDATION_LINES_MAX },
  ),
})
export type RestockRequest = Static<typeof RestockRequest>

export const RestockAccepted = answer('RestockAccepted', {
  ...ENVELOPE,
  location: LocationId,
  reference: Type.String(),
  accepted: Count,
})
export type RestockAccepted = Static<typeof RestockAccepted>
