/** What is in the selections of a machine whose files name none of its products. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { LocationId, MINOR_UNITS, Namespace, UcpEnvelope } from '../../common.ts'
import { BARCODE_MAX, PRICE_FEN_MAX, SELECTIONS_MAX, WORD_MAX } from '../../limits.ts'
import { answer, list, nullable, request, text } from '../../schema-helpers.ts'

export const SelectionParams = Type.Object({ namespace: Namespace, id: LocationId })

const Sku = Type.String({
  pattern: String.raw`^[^:\s]+$`,
  maxLength: WORD_MAX,
  description: 'The second part of the sku_id of the product in this machine.',
})

export const SelectionsRequest = request('SelectionsRequest', {
  selections: Type.Array(
    request('SelectionRequest', {
      selection: text(WORD_MAX, 'As on the keypad of the machine.'),
      product: nullable(
        request('SelectionProduct', {
          sku: Sku,
          title: text(WORD_MAX),
          barcode: Type.Optional(Type.String({ pattern: String.raw`^\d{8,14}$`, maxLength: BARCODE_MAX })),
        }),
      ),
      capacity: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 10_000 }))),
      price: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 0,
            maximum: PRICE_FEN_MAX,
            description: `${MINOR_UNITS} The price in the machine counts before it.`,
          }),
        ),
      ),
    }),
    { minItems: 1, maxItems: SELECTIONS_MAX, description: 'Others stay. A product of null takes the selection out.' },
  ),
})
export type SelectionsRequest = Static<typeof SelectionsRequest>

const Selection = answer('Selection', {
  selection: Type.String(),
  sku: Type.String(),
  title: Type.String(),
  barcode: Type.Optional(Type.String()),
  capacity: Type.Optional(Type.Integer()),
  price: Type.Optional(Type.Integer({ description: MINOR_UNITS })),
})
export type Selection = Static<typeof Selection>

export const SelectionList = answer('SelectionList', {
  ucp: UcpEnvelope,
  location: Type.String(),
  selections: list(Selection),
})
