/** The plan in figures, with the first slots that need somebody: what a start page shows. */
import { type Static, Type } from 'typebox'
import { Count, LocationId, Price, SkuId } from '../../common.ts'
import { answer, list, oneOf } from '../../schema-helpers.ts'

const AttentionSlot = answer('AttentionSlot', {
  kind: oneOf(['empty', 'low', 'coming'], { description: '`coming`: empty or low, and in a run that was placed.' }),
  slot_id: Type.String(),
  location: LocationId,
  location_name: Type.String(),
  item: answer('AttentionItem', { id: SkuId, title: Type.String() }),
  stock: Count,
  lost_per_day: Type.Optional(Price),
  quantity: Type.Optional(Type.Integer({ minimum: 1, description: 'What the plan orders.' })),
  from_storeroom: Type.Optional(Type.Integer({ minimum: 1, description: 'Of these, what the store room gives.' })),
  run: Type.Optional(Type.String({ description: 'The run that brings it or covers it.' })),
  to_confirm: Type.Optional(Type.Boolean({ description: 'The purchases of that run are not ordered yet.' })),
})
export type AttentionSlot = Static<typeof AttentionSlot>

export const PlanSummary = answer('PlanSummary', {
  slots: Count,
  empty: Type.Integer({ minimum: 0, description: 'Neither locked nor coming.' }),
  low: Type.Integer({ minimum: 0, description: 'Sold out within a day; neither locked nor coming.' }),
  coming: Count,
  to_confirm: Type.Integer({ minimum: 0, description: 'Of those that are coming.' }),
  to_order: answer('SlotsToOrder', { slots: Count, machines: Count }),
  unknown: answer('UnknownStock', { slots: Count, machines: Count }),
  first: Type.Immutable(
    Type.Array(AttentionSlot, { description: 'The first four of each kind: the largest loss, the soonest.' }),
  ),
  uncounted: list(answer('UncountedMachine', { location: LocationId, location_name: Type.String(), slots: Count })),
})
export type PlanSummary = Static<typeof PlanSummary>
