/** The store room: goods that are neither at a supplier nor in a machine. Our own operations, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Cursor, Day, ENVELOPE, PaginationResponse, Price, SkuId, Timestamp } from '../common.ts'
import { PAGE_MAX, QUANTITY_MAX, QUERY_MAX, SUMMARY_MAX } from '../limits.ts'
import { answer, list, nullable, oneOf, request } from '../schema-helpers.ts'
import { OrderDelivered } from './order.ts'
import { By } from './people.ts'

const StoredItem = answer('StoredItem', { id: SkuId, title: Type.String() })
const BestBefore = nullable(Type.String({ format: 'date', description: 'Null where the date is not known.' }))

const STOREROOM_PRODUCT = {
  item: StoredItem,
  units: Count,
  reserved: Type.Integer({ minimum: 0, description: 'Units that placed runs will take from the store room.' }),
  free: Type.Integer({ minimum: 0, description: '`units` minus `reserved`, never below 0.' }),
  value: Type.Optional(nullable(Price)),
  lots: list(answer('StoreroomLot', { units: Count, best_before: BestBefore })),
  counted_at: nullable(Timestamp),
}

const StoreroomProduct = answer('StoreroomProduct', STOREROOM_PRODUCT)
export type StoreroomProduct = Static<typeof StoreroomProduct>

export const Storeroom = answer('Storeroom', {
  ...ENVELOPE,
  products: list(StoreroomProduct),
  value: Type.Optional(Price),
  pagination: PaginationResponse,
})
export type Storeroom = Static<typeof Storeroom>

const PAGE = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Entries per page, at most ${PAGE_MAX}.` })),
  cursor: Type.Optional(Cursor),
}

export const StoreroomQuery = request('StoreroomQuery', {
  query: Type.Optional(Type.String({ maxLength: QUERY_MAX, description: 'Part of the title or the id.' })),
  in_stock: Type.Optional(Type.Boolean({ description: 'True: only products of which something is there.' })),
  ...PAGE,
})
export type StoreroomQuery = Static<typeof StoreroomQuery>

export const STOREROOM_REASONS = ['count', 'damaged', 'expired', 'lost', 'returned', 'other'] as const
const StoreroomReason = oneOf([...STOREROOM_REASONS])
export type StoreroomReason = Static<typeof StoreroomReason>

export const StoreroomCountRequest = request('StoreroomCountRequest', {
  units: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX, description: 'Single units that are there now.' }),
  reason: StoreroomReason,
  note: Type.Optional(Type.String({ maxLength: SUMMARY_MAX })),
  best_before: Type.Optional(
    Type.String({ format: 'date', maxLength: 10, description: 'Of all these units: they become one lot.' }),
  ),
  expected_units: Type.Optional(
    Type.Integer({ minimum: 0, description: 'What the caller believes is there. Another number there is a conflict.' }),
  ),
})
export type StoreroomCountRequest = Static<typeof StoreroomCountRequest>

export const StoreroomProductAnswer = answer('StoreroomProductAnswer', { ...ENVELOPE, ...STOREROOM_PRODUCT })

const StoreroomMovement = answer('StoreroomMovement', {
  at: Timestamp,
  item: StoredItem,
  units: Type.Integer({ description: 'Negative for what went out.' }),
  kind: oneOf(['bought', 'loaded', 'returned', 'counted', 'lost']),
  reference: nullable(
    answer('StoreroomReference', {
      type: oneOf(['order', 'run', 'service']),
      id: Type.String(),
      location: Type.Optional(Type.String({ description: 'Of a service: the machine.' })),
      run: Type.Optional(Type.String({ description: 'Of a service: the run whose stop it was.' })),
    }),
  ),
  reason: Type.Optional(StoreroomReason),
  note: Type.Optional(Type.String()),
  by: nullable(By),
})
export type StoreroomMovement = Static<typeof StoreroomMovement>

export const StoreroomMovements = answer('StoreroomMovements', {
  ...ENVELOPE,
  movements: list(StoreroomMovement),
  pagination: PaginationResponse,
})
export type StoreroomMovements = Static<typeof StoreroomMovements>

export const StoreroomMovementsQuery = request('StoreroomMovementsQuery', {
  sku_id: Type.Optional(SkuId),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  ...PAGE,
})
export type StoreroomMovementsQuery = Static<typeof StoreroomMovementsQuery>

export const OrderReceiveRequest = request('OrderReceiveRequest', { delivered: Type.Optional(OrderDelivered) })
export type OrderReceiveRequest = Static<typeof OrderReceiveRequest>
