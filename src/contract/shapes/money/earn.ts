/** The best next steps of the route: our own operation, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Currency, ENVELOPE, LocationId, SkuId } from '../../common.ts'
import { answer, list, oneOf } from '../../schema-helpers.ts'
import { Gain, Signed } from '../planning/experiments.ts'

const EARN_STEPS = [
  'layout',
  'swap',
  'price',
  'fewer_visits',
  'less_stock',
  'dead_stock',
  'renegotiate',
  'remove',
] as const

const EarnItem = answer('EarnItem', { id: SkuId, title: Type.String() })

const EarnStep = answer('EarnStep', {
  step: oneOf(EARN_STEPS),
  expected: Gain,
  location: Type.Optional(LocationId),
  location_name: Type.Optional(Type.String()),
  slot_id: Type.Optional(Type.String()),
  item: Type.Optional(EarnItem),
  /** Of a swap: instead of `item`. */
  in: Type.Optional(EarnItem),
  /** Of a price. */
  change: Type.Optional(Signed('What the price changes by, in minor units.')),
  machines: Type.Optional(Count),
  /** Of a layout. */
  lanes: Type.Optional(list(answer('EarnLane', { lane: Type.String(), now: EarnItem, proposed: EarnItem }))),
  visit_every_days: Type.Optional(Count),
  /** Of dead stock: what stands there. */
  units: Type.Optional(Count),
  /** Of a machine: its profit now, after goods, losses, visits, commission and rent. */
  profit_per_month: Type.Optional(Signed('In minor units.')),
})
export type EarnStep = Static<typeof EarnStep>

export const EarnList = answer('EarnList', { ...ENVELOPE, currency: Currency, steps: list(EarnStep) })
export type EarnList = Static<typeof EarnList>
