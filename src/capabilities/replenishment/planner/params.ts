/** The plan's parameters, as configuration and callers write them and as a plan tells them. */
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { DEFAULT_PARAMS } from './input.ts'
import type { PlanParams } from './input.ts'

/** All may be left out; unknown names are ignored. */
export const WireParams = Type.Partial(
  Type.Object({
    window_days: Type.Integer({ minimum: 1, maximum: 400 }),
    cover_days: Type.Number({ minimum: 0, maximum: 400 }),
    safety_days: Type.Number({ minimum: 0, maximum: 400 }),
    min_order_qty: Type.Integer({ minimum: 1, maximum: 10_000 }),
    max_order_qty: Type.Integer({ minimum: 1, maximum: 10_000 }),
    visit_rule: Type.Enum(['cycle', 'share', 'since_visit']),
    visit_cost: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
    room_lead_share: Type.Number({ minimum: 0, maximum: 1 }),
  }),
)

/** By the validator that stands at the door anyway: another one would stay in the service's memory for this alone. */
const isReadable = new Ajv().compile<Static<typeof WireParams>>(WireParams)

/** Given values over the defaults. One out of range throws: a plan made of nonsense spends money. */
export function paramsFrom(given: unknown): PlanParams {
  if (!isReadable(given)) {
    const [problem] = isReadable.errors ?? []
    throw new RangeError(`plan parameter ${problem?.instancePath.slice(1) ?? ''}: ${problem?.message ?? 'unreadable'}`)
  }
  const params: PlanParams = {
    windowDays: given.window_days ?? DEFAULT_PARAMS.windowDays,
    coverDays: given.cover_days ?? DEFAULT_PARAMS.coverDays,
    safetyDays: given.safety_days ?? DEFAULT_PARAMS.safetyDays,
    minOrderQty: given.min_order_qty ?? DEFAULT_PARAMS.minOrderQty,
    maxOrderQty: given.max_order_qty ?? DEFAULT_PARAMS.maxOrderQty,
    visitRule: given.visit_rule ?? DEFAULT_PARAMS.visitRule,
    visitCostFen: given.visit_cost ?? DEFAULT_PARAMS.visitCostFen,
    roomLeadShare: given.room_lead_share ?? DEFAULT_PARAMS.roomLeadShare,
  }
  if (params.maxOrderQty < params.minOrderQty) throw new RangeError('plan parameter max_order_qty: below min_order_qty')
  return params
}

/** The contract's five, and what else shaped the plan. */
export const wireParams = (params: PlanParams, reviewDays: number) => ({
  window_days: params.windowDays,
  cover_days: params.coverDays,
  safety_days: params.safetyDays,
  min_order_qty: params.minOrderQty,
  max_order_qty: params.maxOrderQty,
  review_days: reviewDays,
  visit_rule: params.visitRule,
  ...(params.visitCostFen === null ? {} : { visit_cost: params.visitCostFen }),
  room_lead_share: params.roomLeadShare,
})
