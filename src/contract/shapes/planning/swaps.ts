/** Products that would earn more in a slot: our own operations, beyond the contract. */
import { type Static, Type } from 'typebox'
import {
  Actions,
  Amount,
  Count,
  Currency,
  ENVELOPE,
  LocationId,
  PaginationResponse,
  PARTED,
  SkuId,
  SlotId,
  Timestamp,
} from '../../common.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'
import { Gain, Signed, TRIAL } from './experiments.ts'

const SwapItem = answer('SwapItem', { id: SkuId, title: Type.String() })

const SwapProduct = answer('SwapProduct', {
  item: SwapItem,
  daily_rate: Type.Optional(Type.Number({ minimum: 0 })),
  weekly_margin: Type.Optional(Amount),
  price: Type.Optional({ ...Amount, description: 'Only of a product that no machine holds yet: what it will cost.' }),
})

const Swap = answer('Swap', {
  location: LocationId,
  location_name: Type.Optional(Type.String()),
  slot_id: Type.String(),
  out: SwapProduct,
  in: SwapProduct,
  weekly_gain: Type.Integer({ description: 'Expected margin more per week, in minor units.' }),
  gain_error: Type.Optional({ ...Amount, description: 'Its standard error.' }),
  evidence: Type.Optional(
    answer('SwapEvidence', {
      venue_type: Type.Optional(Type.String({ description: 'Absent: machines of all venues.' })),
      machines: Count,
      units: Count,
      days: Type.Number({ minimum: 0, description: 'Days in stock, over all these machines.' }),
      category: Type.Optional(Type.String({ description: 'Of a new product: its category sold this.' })),
    }),
  ),
  status: oneOf(['proposed', 'pending', 'approved', 'rejected', 'done', 'canceled'], {
    description: '`approved`: the next visit changes the product. `done`: it did.',
  }),
  decision: Type.Optional(Type.String()),
})
export type Swap = Static<typeof Swap>

const SwapTrial = answer('SwapTrial', {
  ...TRIAL,
  location: LocationId,
  location_name: Type.Optional(Type.String()),
  slot_id: Type.String({ description: 'The slot before its product changed.' }),
  out: SwapItem,
  in: SwapItem,
  started_at: Timestamp,
  ended_at: Type.Optional(Timestamp),
  expected: Gain,
  /** By what both products sold. */
  measured: Type.Optional(Gain),
  /** Together with what was expected; this decides. */
  judged: Type.Optional(Gain),
})
export type SwapTrial = Static<typeof SwapTrial>

export const SwapList = answer('SwapList', {
  ...ENVELOPE,
  currency: Currency,
  swaps: list(Swap),
  trials: list(SwapTrial),
  record: Type.Optional(
    answer('SwapRecord', {
      judged: Count,
      kept: Count,
      expected: Signed('Of the judged trials, in minor units a week.'),
      measured: Signed('Of the same trials.'),
    }),
  ),
  pagination: Type.Optional(PaginationResponse),
})
export type SwapList = Static<typeof SwapList>

export const SwapAnswer = answer('SwapAnswer', { ...ENVELOPE, swap: Swap, actions: Type.Optional(Actions) })
export type SwapAnswer = Static<typeof SwapAnswer>

export const SwapEndRequest = request('SwapEndRequest', {
  status: oneOf(['done', 'canceled', 'kept', 'taken_back'], {
    description: '`kept`, `taken_back`: ends its trial.',
  }),
})
export type SwapEndRequest = Static<typeof SwapEndRequest>

export const SwapsQuery = request('SwapsQuery', { location: Type.Optional(LocationId), ...PARTED })
export type SwapsQuery = Static<typeof SwapsQuery>

export const SwapRequest = request('SwapRequest', {
  slot_id: SlotId,
  item: request('SwapItemRequest', { id: SkuId }),
  confirm: Type.Optional(Type.Literal(true, { description: 'The trial starts; else as `ask`.' })),
  ask: Type.Optional(Type.Boolean({ description: 'The owner decides.' })),
  price: Type.Optional(Type.Integer({ description: 'Of a new product: as proposed.' })),
})
export type SwapRequest = Static<typeof SwapRequest>
