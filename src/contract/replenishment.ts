/** Section 2.8: the plan, restock runs, and forecast accuracy. */
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { PlanParams as Params } from '../kernel/plan-params.ts'
import { UnitCode } from './catalog.ts'
import { CheckoutStatus } from './checkout.ts'
import {
  Actions,
  Count,
  ENVELOPE,
  ItemReference,
  LocationId,
  Messages,
  NullableNumber,
  PAGED,
  PaginationResponse,
  Price,
  SkuId,
  SlotId,
  Timestamp,
  UcpEnvelope,
} from './common.ts'
import {
  DELIVERED_LINES_MAX,
  QUANTITY_MAX,
  REASON_SENT_MAX,
  RECOMMENDATION_LINES_MAX,
  RECOMMENDATION_REASON_MAX,
  SCORE_HORIZON_DAYS_DEFAULT,
  SCORE_HORIZON_DAYS_MAX,
  SUMMARY_MAX,
  WORD_MAX,
} from './limits.ts'
import { ORDER, ORDER_LINE_ITEM } from './order.ts'
import { answer, list, nullable, oneOf, request, text } from './schema-helpers.ts'

const { visit_rule, visit_cost: _, room_lead_share, ...contractParams } = Params.properties

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

const Recommendation = answer('Recommendation', {
  action: oneOf(['order', 'watch', 'none', 'locked', 'in_transit']),
  quantity: Type.Optional(Type.Integer({ minimum: 1, description: 'With `order` only.' })),
})
export type Recommendation = Static<typeof Recommendation>

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
  capacity: Type.Optional(nullable(Type.Integer())),
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
  pending_run: Type.Optional(Type.String({ description: 'The oldest run, not yet placed, that covers this slot.' })),
})
export type PlanEntry = Static<typeof PlanEntry>

export const MachineVisit = answer('MachineVisit', {
  location: Type.String(),
  go: Type.Boolean({ description: 'Worth a visit now.' }),
  risk_share: Type.Number({ minimum: 0, description: 'Share of its sales value at risk.' }),
  load: Count,
})
export type MachineVisit = Static<typeof MachineVisit>

export const ReplenishmentPlan = answer('ReplenishmentPlan', {
  ...ENVELOPE,
  strategy_version: Type.String(),
  params: PlanParams,
  lead_time: LeadTime,
  plans: list(PlanEntry),
  visits: Type.Optional(list(MachineVisit)),
})
export type ReplenishmentPlan = Static<typeof ReplenishmentPlan>

export const RunStatus = oneOf(
  ['blocked', 'nothing_to_do', 'pending_approval', 'approved', 'rejected', 'placed', 'delivered'],
  { title: 'RunStatus' },
)
export type RunStatus = Static<typeof RunStatus>

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
  note: Type.Optional(Type.String()),
  actions: Type.Optional(Actions),
})
export type ReplenishmentRun = Static<typeof ReplenishmentRun>

export const RunList = answer('RunList', {
  ucp: UcpEnvelope,
  runs: list(ReplenishmentRun),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
export type RunList = Static<typeof RunList>

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
