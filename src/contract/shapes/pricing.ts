/** Prices on a live machine. */
import { type Static, Type } from 'typebox'
import { Confirm } from './checkout.ts'
import { Actions, Currency, ENVELOPE, ItemReference, MINOR_UNITS, Price, SkuId, DRY_RUN } from '../common.ts'
import { PRICE_FEN_MAX, PRICE_LINES_MAX } from '../limits.ts'
import { answer, list, request } from '../schema-helpers.ts'

const PriceUpdate = answer('PriceUpdate', {
  item: answer('PricedItem', { id: SkuId, title: Type.Optional(Type.String()) }),
  previous: Price,
  price: Price,
})
export type PriceUpdate = Static<typeof PriceUpdate>

export const PriceChange = answer('PriceChange', {
  ...ENVELOPE,
  location: Type.String(),
  updated: list(PriceUpdate),
  actions: Type.Optional(Actions),
  ...DRY_RUN,
})
export type PriceChange = Static<typeof PriceChange>

export const PriceChangeRequest = request('PriceChangeRequest', {
  prices: Type.Array(
    request('PriceLineRequest', {
      item: ItemReference,
      price: request('PriceRequest', {
        amount: Type.Integer({ minimum: 1, maximum: PRICE_FEN_MAX, description: MINOR_UNITS }),
        currency: Currency,
      }),
    }),
    { minItems: 1, maxItems: PRICE_LINES_MAX },
  ),
  confirm: Confirm,
  ask: Type.Optional(Type.Boolean({ description: 'True: the owner decides, also where the rules would allow it.' })),
})
export type PriceChangeRequest = Static<typeof PriceChangeRequest>
