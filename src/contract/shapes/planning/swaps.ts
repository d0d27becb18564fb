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
} from '../../common.ts'
import { answer, list, oneOf, request } from '../../schema-helpers.ts'

const SwapProduct = answer('SwapProduct', {
  item: answer('SwapItem', { id: SkuId, title: Type.String() }),
  daily_rate: Type.Optional(Type.Number({ minimum: 0 })),
  weekly_margin: Type.Optional(Amount),
})

const Swap = answer('Swap', {
  location: LocationId,
  location_name: Type.Optional(Type.String()),
  slot_id: Type.String(),
  out: SwapProduct,
  in: SwapProduct,
  weekly_gain: Type.Integer({ description: 'Expected margin more per week, in minor units.' }),
  evidence: Type.Optional(
    answer('SwapEvidence', {
      venue_type: Type.Optional(Type.String({ description: 'Absent: machines of all venues.' })),
      machines: Count,
      units: Count,
      days: Type.Number({ minimum: 0, description: 'Days in stock, over all these machines.' }),
    }),
  ),
  status: oneOf(['proposed', 'pending', 'approved', 'rejected', 'done', 'canceled'], {
    description: '`approved`: the next visit changes the product. `done`: it did.',
  }),
  decision: Type.Optional(Type.String()),
})
export type Swap = Static<typeof Swap>

export const SwapList = answer('SwapList', {
  ...ENVELOPE,
  currency: Currency,
  swaps: list(Swap),
  pagination: Type.Optional(PaginationResponse),
})
export type SwapList = Static<typeof SwapList>

export const SwapAnswer = answer('SwapAnswer', { ...ENVELOPE, swap: Swap, actions: Type.Optional(Actions) })
export type SwapAnswer = Static<typeof SwapAnswer>

export const SwapEndRequest = request('SwapEndRequest', {
  status: oneOf(['done', 'canceled']),
})
export type SwapEndRequest = Static<typeof SwapEndRequest>

export const SwapsQuery = request('SwapsQuery', { location: Type.Optional(LocationId), ...PARTED })
export type SwapsQuery = Static<typeof SwapsQuery>

export const SwapRequest = request('SwapRequest', {
  slot_id: SlotId,
  item: request('SwapItemRequest', { id: SkuId }),
  ask: Type.Optional(Type.Boolean({ description: 'Swaps are always decided by the owner.' })),
})
export type SwapRequest = Static<typeof SwapRequest>
