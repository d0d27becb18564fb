/** Trials of prices: our own operations, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Amount, Currency, ENVELOPE, ItemReference, LocationId, SkuId, Timestamp } from '../../common.ts'
import { PRICE_FEN_MAX } from '../../limits.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'
import { Confirm } from '../checkout.ts'

export const Signed = (description: string) =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description })

/** Margin more a week, in minor units, with its standard error. */
export const Gain = answer('WeeklyGain', {
  gain: Signed('Margin more a week, in minor units.'),
  error: { ...Amount, description: 'Its standard error.' },
})

const Item = answer('ExperimentItem', { id: SkuId, title: Type.String() })
const Change = Signed('What the price changes by, in minor units.')

const Elasticity = answer('Elasticity', {
  value: Type.Number({ description: 'By how many percent sales fall when the price rises by one.' }),
  error: Type.Number({ minimum: 0 }),
})

const ExperimentMachine = answer('ExperimentMachine', {
  location: LocationId,
  location_name: Type.String(),
  role: oneOf(['treated', 'control']),
  price: { ...Amount, description: 'Before the trial.' },
  trial_price: Type.Optional(Amount),
  state: Type.Optional(
    oneOf(['planned', 'changed', 'asked', 'back', 'left'], {
      description: '`asked`: the owner decides whether it gets its old price back. `left`: no longer compared.',
    }),
  ),
  why: Type.Optional(oneOf(['price_changed', 'refused', 'unreachable', 'gone', 'owner_said_no'])),
})

export const TRIAL = {
  id: Type.String(),
  status: oneOf(['starting', 'running', 'taking_back', 'kept', 'taken_back', 'ended']),
  reason: Type.Optional(
    oneOf(['judged', 'too_little', 'nobody_left', 'person'], { description: 'Why it ended, or is taken back.' }),
  ),
}

const Experiment = answer('Experiment', {
  ...TRIAL,
  item: Item,
  change: Change,
  venue_type: Type.Optional(Type.String({ description: 'Absent: machines of all venues.' })),
  started_at: Timestamp,
  ended_at: Type.Optional(Timestamp),
  expected: Gain,
  /** By its own machines alone. */
  measured: Type.Optional(Gain),
  /** Together with what earlier trials showed; this decides. */
  judged: Type.Optional(Gain),
  elasticity: Type.Optional(Elasticity),
  machines: list(ExperimentMachine),
})

export type Experiment = Static<typeof Experiment>

const ExperimentProposal = answer('ExperimentProposal', {
  item: Item,
  change: Change,
  venue_type: Type.Optional(Type.String()),
  expected: Gain,
  elasticity: Elasticity,
  machines: list(ExperimentMachine),
})

export const ExperimentList = answer('ExperimentList', {
  ...ENVELOPE,
  currency: Currency,
  running: list(Experiment),
  past: list(Experiment),
  proposals: list(ExperimentProposal),
})
export type ExperimentList = Static<typeof ExperimentList>

export const ExperimentAnswer = answer('ExperimentAnswer', { ...ENVELOPE, experiment: Experiment })
export type ExperimentAnswer = Static<typeof ExperimentAnswer>

export const ExperimentRequest = request('ExperimentRequest', {
  item: ItemReference,
  change: Type.Integer({ minimum: -PRICE_FEN_MAX, maximum: PRICE_FEN_MAX, description: 'Minor units.' }),
  confirm: Confirm,
})
export type ExperimentRequest = Static<typeof ExperimentRequest>

export const ExperimentEndRequest = request('ExperimentEndRequest', {
  keep: Type.Boolean({ description: 'True: the new prices stay. False: they are taken back.' }),
  confirm: Confirm,
})
export type ExperimentEndRequest = Static<typeof ExperimentEndRequest>
