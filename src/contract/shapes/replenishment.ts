/** The plan, slot by slot, and a recommendation of the planner passed on to the platform. */
import { type Static, Type } from 'typebox'
import { PlanParams as Params } from '../../kernel/plan-params.ts'
import { SlotPosition, UnitCode } from './catalog.ts'
import {
  Count,
  Cursor,
  ENVELOPE,
  ItemReference,
  LocationId,
  PaginationResponse,
  Price,
  SkuId,
  Timestamp,
} from '../common.ts'
import {
  BODY_BYTES_MAX,
  PLAN_PAGE_MAX,
  QUANTITY_MAX,
  RECOMMENDATION_LINES_MAX,
  RECOMMENDATION_REASON_MAX,
  WORD_MAX,
} from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'
import { PlanSummary } from './planning/summary.ts'

const {
  visit_rule,
  visit_cost: _visitCost,
  room_lead_share,
  cover_rule,
  top_up,
  one_visit_at_a_time,
  small_machine_slots,
  missed_share,
  look_back_days,
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
    missed_share: Type.Optional(missed_share),
    look_back_days: Type.Optional(look_back_days),
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
  measured: Type.Boolean({
    description:
      'False: the slot was in stock on no day of the window. The rate is that of its last days in stock (`earlier_days`), else estimated.',
  }),
  earlier_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Days in stock before the window that the rate is learned from, because the window has too few.',
    }),
  ),
})
export type Demand = Static<typeof Demand>

const PlanAction = oneOf(['order', 'watch', 'none', 'locked', 'in_transit', 'phase_out'], {
  description: '`phase_out`: not ordered any more, what is there sells off.',
})

const Recommendation = answer('Recommendation', {
  action: PlanAction,
  quantity: Type.Optional(Type.Integer({ minimum: 1, description: 'With `order` only.' })),
  because: Type.Optional(
    oneOf(['hard_no_go', 'unresolved_sku'], {
      description:
        'With `none`: no run may take the product. `unresolved_sku` only where runs are ordered from suppliers.',
    }),
  ),
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
      description: 'When it was last counted, while no newer reading replaced the count.',
    }),
  ),
  received_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When it was last refilled, while no newer reading or count replaced that.',
    }),
  ),
  reported_stock: Type.Optional(
    Type.Integer({ minimum: 0, description: 'What the machine said at its last reading, where that differs.' }),
  ),
  position: Type.Optional(SlotPosition),
  lane: Type.Optional(Type.String({ description: "The platform's name of the lane." })),
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
  from_storeroom: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Units of the quantity that the store room would give.' }),
  ),
  room: Type.Optional(Type.Integer({ minimum: 0, description: 'The most that a run may bring, where it is known.' })),
  unsold_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Days in stock since the last sale, from 21 on: dead stock, which is not topped up.',
    }),
  ),
  pending_run: Type.Optional(Type.String({ description: 'The oldest run, not yet placed, that covers this slot.' })),
})
export type PlanEntry = Static<typeof PlanEntry>

export const VisitReason = oneOf(
  ['due', 'joins', 'same_site', 'small_machine', 'sold_out', 'not_due', 'limit', 'in_transit', 'closed', 'locked'],
  {
    description:
      '`joins`: waiting for the next trip would cost more. `same_site`: another machine of its site is visited. `limit`: it did not fit into the trip. `closed`: closed, or no service day, when an order would arrive.',
  },
)
export const Waiting = Type.Integer({
  minimum: 0,
  description: 'Margin lost by waiting for the next review, in minor units.',
})
export const Worth = Type.Integer({
  minimum: 0,
  description: 'The loss from which a visit is worth it, in minor units.',
})
export const RhythmDays = Type.Integer({ minimum: 1, description: 'Days between visits that cost least.' })

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
  unknown_slots: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Slots of the machine whose stock was neither counted nor reported, and that are not planned.',
    }),
  ),
  empty: Type.Optional(Type.Integer({ minimum: 0, description: 'Slots that are empty, those in transit included.' })),
  at_risk: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Slots with stock that are likely empty before a delivery arrives.' }),
  ),
  stock: Type.Optional(
    answer('MachineStock', {
      slots: Count,
      low: Type.Integer({ minimum: 0, description: 'Slots that are sold out within a day.' }),
      units: Type.Integer({ minimum: 0, description: 'Units that the plan orders.' }),
      from_storeroom: Type.Integer({ minimum: 0, description: 'Of these, what the store room gives.' }),
      filled: Type.Integer({ minimum: 0, description: 'Units in slots whose capacity is known.' }),
      capacity: Count,
    }),
  ),
  next_due_on: Type.Optional(
    nullable(
      Type.String({
        format: 'date',
        description:
          'Of a machine that waits while slots are empty or at risk: the day on which a visit is expected to be due; null: none within 14 days. Left out where more than 200 such machines are listed.',
      }),
    ),
  ),
})
export type MachineVisit = Static<typeof MachineVisit>

const TakeBack = answer('TakeBack', {
  slot_id: Type.String(),
  items: list(answer('TakeBackItem', { id: SkuId, title: Type.String() })),
  last_loaded: Type.Optional(Type.String({ description: 'Of these, the one that the last delivery brought.' })),
})
export type TakeBack = Static<typeof TakeBack>

export const ReplenishmentPlan = answer('ReplenishmentPlan', {
  ...ENVELOPE,
  strategy_version: Type.String(),
  params: PlanParams,
  lead_time: LeadTime,
  plans: list(PlanEntry),
  visits: Type.Optional(list(MachineVisit)),
  summary: Type.Optional(PlanSummary),
  take_backs: Type.Optional(
    Type.Array(TakeBack, {
      description: 'With `location`: slots whose units may become one of several products of the store room.',
    }),
  ),
  pagination: Type.Optional(PaginationResponse),
})
export type ReplenishmentPlan = Static<typeof ReplenishmentPlan>

/** Without any of these the whole plan comes in the order of its slots; with one, the most urgent slots come first. */
export const PlanQuery = request('PlanQuery', {
  location: Type.Optional(LocationId),
  sku_id: Type.Optional(SkuId),
  action: Type.Optional(PlanAction),
  only: Type.Optional(
    oneOf(['summary', 'visits'], {
      description:
        'No slots: `summary` in figures, or `visits` of all machines with their stock. Takes no other filter.',
    }),
  ),
  at_risk: Type.Optional(
    Type.Boolean({ description: 'Only slots that are, or are not, likely empty before a delivery arrives.' }),
  ),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Slots per page, at most ${PLAN_PAGE_MAX}.` })),
})
export type PlanQuery = Static<typeof PlanQuery>

export const RestockRequest = request('RestockRequest', {
  reference: text(WORD_MAX, "The platform's batch number."),
  line_items: Type.Array(
    request('RestockLine', {
      item: ItemReference,
      quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
      reason: Type.String({
        maxLength: BODY_BYTES_MAX,
        description: `Of any length; truncated at ${RECOMMENDATION_REASON_MAX} characters.`,
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
