/** The best next steps of the route: our own operation, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, Day, ENVELOPE, LocationId, SkuId } from '../../common.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'
import { Gain, Signed } from '../planning/experiments.ts'

const EARN_STEPS = [
  'layout',
  'swap',
  'price',
  'fewer_visits',
  'less_stock',
  'dead_stock',
  'move',
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
  price: Type.Optional({ ...Amount, description: 'Of a swap for a product that no machine holds: its price.' }),
  /** Of a price. */
  change: Type.Optional(Signed('What the price changes by, in minor units.')),
  machines: Type.Optional(Count),
  /** Of a layout. */
  lanes: Type.Optional(list(answer('EarnLane', { lane: Type.String(), now: EarnItem, proposed: EarnItem }))),
  visit_every_days: Type.Optional(Count),
  /** Of a move: the machine that sells them before their date. */
  to: Type.Optional(answer('EarnMachine', { location: LocationId, location_name: Type.String() })),
  /** Of dead stock and of a move: what stands there. */
  units: Type.Optional(Count),
  /** Of a machine: its profit now, after goods, losses, visits, commission and rent. */
  profit_per_month: Type.Optional(Signed('In minor units.')),
})
export type EarnStep = Static<typeof EarnStep>

export const EarnQuery = request('EarnQuery', { location: Type.Optional(LocationId) })
export type EarnQuery = Static<typeof EarnQuery>

const WORTH_VERDICTS = ['pays', 'pays_with_steps', 'does_not_pay', 'too_early'] as const

const MachineWorth = answer('MachineWorth', {
  /** What the figures are from. */
  period: answer('WorthPeriod', { from: Day, to: Day }),
  visits_per_month: Type.Number({ minimum: 0 }),
  profit_per_month: Signed('After goods, losses, visits, commission and rent, in minor units.'),
  best_per_month: Signed('With all steps that need nobody else, in minor units.'),
  verdict: oneOf(WORTH_VERDICTS),
  /** Commission and rent a month that would leave as much to the operator as to the place. */
  bearable_per_month: Type.Optional(Count),
})
export type MachineWorth = Static<typeof MachineWorth>

export const EarnList = answer('EarnList', {
  ...ENVELOPE,
  currency: Currency,
  steps: list(EarnStep),
  worth: Type.Optional(MachineWorth),
})
export type EarnList = Static<typeof EarnList>
