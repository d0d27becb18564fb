/** The parameters of a plan: one schema with names, ranges and defaults, for configuration, the planner and its answers. */
import { type ErrorObject, Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { demandText } from './text.ts'

const cost = (type: 'integer' | 'number', description: string) =>
  Type.Unsafe<number | null>({ type: [type, 'null'], minimum: 0, maximum: 1_000_000_000, default: null, description })

/** Share of the retail price that counts as cost while the real cost is unknown. */
export const ESTIMATED_COST_SHARE = 0.55

export const PlanParams = Type.Object({
  window_days: Type.Integer({ minimum: 1, maximum: 400, default: 21, description: 'Days of sales a plan looks at.' }),
  cover_days: Type.Number({ minimum: 0, maximum: 400, default: 7, description: 'Days an order should last.' }),
  safety_days: Type.Number({ minimum: 0, maximum: 400, default: 2, description: 'Days of stock kept in reserve.' }),
  min_order_qty: Type.Integer({ minimum: 1, maximum: 10_000, default: 3, description: 'Smallest order for one slot.' }),
  max_order_qty: Type.Integer({ minimum: 1, maximum: 10_000, default: 40, description: 'Largest order for one slot.' }),
  visit_rule: Type.Enum(['cycle', 'share'], {
    default: 'cycle',
    description:
      '`cycle`: waiting must cost more than the best regular visit interval costs per day. `share`: enough revenue at risk and enough units to deliver.',
  }),
  visit_cost: cost('integer', 'Fen for one visit to a machine; estimated while null.'),
  room_lead_share: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'Share of the demand expected during the lead time that counts as free room.',
  }),
  cover_rule: Type.Enum(['rhythm', 'days'], {
    default: 'rhythm',
    description:
      '`rhythm`: an order lasts until the next visit that is worth it, and at least `cover_days`. `days`: it lasts `cover_days`.',
  }),
  top_up: Type.Boolean({
    default: true,
    description:
      'A visit that is made anyway brings any missing unit; `min_order_qty` then only applies to slots at risk.',
  }),
  one_visit_at_a_time: Type.Boolean({
    default: true,
    description: 'A machine with a slot in transit gets no second visit.',
  }),
  small_machine_slots: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 0,
    description:
      'A machine with fewer selling slots is visited as soon as one of them is at risk, whatever that costs.',
  }),
  missed_share: Type.Number({
    minimum: 0.05,
    maximum: 1,
    default: 0.6,
    description:
      'Share of the estimated missed sales that is then missed: 1 where the rates of sale are known exactly, less where they are learned.',
  }),
  look_back_days: Type.Integer({
    minimum: 0,
    maximum: 400,
    default: 180,
    description:
      'A slot that was in stock on fewer than 7 days of the window is judged by its last 7 days in stock, at most this many days ago; 0: by the window alone.',
  }),
  trip_cost: cost('number', 'Fen for leaving the depot and coming back, shared by all stops of a trip; 0 while null.'),
  stop_cost: cost('number', 'Fen for one stop, shared by the machines of a site; `visit_cost` while null.'),
})
export type PlanParams = Readonly<Static<typeof PlanParams>>
export type VisitRule = PlanParams['visit_rule']

export const DEFAULT_PLAN_PARAMS = Object.fromEntries(
  Object.entries(PlanParams.properties).map(([name, schema]) => [name, (schema as { default?: unknown }).default]),
) as PlanParams

const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<Partial<PlanParams>>(
  Type.Partial(PlanParams),
)

export type PlanParamsResult =
  | { readonly ok: true; readonly params: PlanParams }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The given values over the defaults, or everything that is wrong with them. Unknown names are ignored. */
export function readPlanParams(given: unknown): PlanParamsResult {
  if (!isValid(given)) {
    const toText = (problem: ErrorObject) => `${problem.instancePath.slice(1)} ${demandText(problem)}`.trim()
    return { ok: false, problems: (isValid.errors ?? []).map(toText) }
  }
  const params = Object.fromEntries(
    Object.entries(DEFAULT_PLAN_PARAMS).map(([name, value]) => [name, given[name as keyof PlanParams] ?? value]),
  ) as PlanParams
  return params.min_order_qty > params.max_order_qty
    ? { ok: false, problems: ['min_order_qty must not be above max_order_qty'] }
    : { ok: true, params }
}

/** The parameters as a plan answers with them. */
export function planParamsView({ visit_cost, trip_cost, stop_cost, ...shown }: PlanParams, reviewDays: number) {
  return {
    ...shown,
    review_days: reviewDays,
    ...(visit_cost === null ? {} : { visit_cost }),
    ...(trip_cost === null ? {} : { trip_cost }),
    ...(stop_cost === null ? {} : { stop_cost }),
  }
}
