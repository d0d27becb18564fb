/** What to load into the van for a run, and what to put into each machine. */
import { type Static, Type } from 'typebox'
import { SlotPosition } from './catalog.ts'
import { Count, Day, ENVELOPE, LocationId, NullableNumber, PostalAddress, SkuId, Timestamp } from '../common.ts'
import { RunStatus } from './run-status.ts'
import { answer, list, oneOf, request } from '../schema-helpers.ts'

const PickItem = answer('PickItem', { id: SkuId, title: Type.String() })

const PickProduct = answer('PickProduct', {
  item: PickItem,
  source: Type.Optional(Type.String({ description: "The supplier's product." })),
  category: Type.Optional(Type.String()),
  bought: Type.Integer({ minimum: 0, description: 'Units bought for the whole run.' }),
  units: Type.Integer({
    minimum: 0,
    description: 'Units to load for the stops that are open; without a store room spare ones, too.',
  }),
  from_storeroom: Type.Integer({ minimum: 0, description: 'Of `units`, those to take from the store room.' }),
  from_delivery: Type.Integer({ minimum: 0, description: 'Of `units`, those that this delivery brings.' }),
  boxes: Type.Optional(
    answer('PickBoxes', { count: Count, contains: Type.Integer({ minimum: 2, description: 'Units in one box.' }) }),
  ),
  singles: Type.Integer({ minimum: 0, description: 'Units outside whole boxes.' }),
  shelf_days: Type.Optional(Type.Integer({ minimum: 1, description: 'Days that it may stay in a machine.' })),
  spare: Type.Integer({
    minimum: 0,
    description: 'Units that no slot of the run needs or has room for: they stay in the store room where one is kept.',
  }),
  locations: list(Type.String()),
})
export type PickProduct = Static<typeof PickProduct>

const PickLine = answer('PickLine', {
  slot_id: Type.String(),
  item: PickItem,
  position: Type.Optional(SlotPosition),
  lane: Type.Optional(Type.String({ description: "The platform's name of the lane." })),
  quantity: Count,
  planned: Type.Integer({ minimum: 0, description: 'What the run ordered for the slot.' }),
  expected_stock: NullableNumber,
  fill_to: NullableNumber,
  capacity: NullableNumber,
  last_read_at: Type.Optional(Timestamp),
  pull_if_older_than: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Units loaded before this day are too old.' }),
  ),
})
export type PickLine = Static<typeof PickLine>

const PickStop = answer('PickStop', {
  sequence: Type.Integer({ minimum: 1 }),
  location: Type.String(),
  name: Type.String(),
  address: Type.Optional(PostalAddress),
  status: oneOf(['open', 'received']),
  received_at: Type.Optional(Timestamp),
  units: Count,
  /** Lanes to give to another product at this visit. */
  lane_changes: Type.Optional(
    list(
      answer('PickLaneChange', {
        lane: Type.String(),
        position: Type.Optional(SlotPosition),
        now: PickItem,
        proposed: PickItem,
      }),
    ),
  ),
  /** Units to take out for another machine: here they would be too old before they are sold. */
  moves: Type.Optional(
    list(
      answer('PickMove', {
        slot_id: Type.String(),
        item: PickItem,
        position: Type.Optional(SlotPosition),
        lane: Type.Optional(Type.String()),
        quantity: Count,
        to: answer('PickMoveTo', { location: Type.String(), name: Type.String() }),
        sell_before: Day,
      }),
    ),
  ),
  lines: list(PickLine),
})
export type PickStop = Static<typeof PickStop>

export const PickList = answer('PickList', {
  ...ENVELOPE,
  run: Type.String(),
  status: RunStatus,
  refreshed: Type.Boolean({ description: 'Spread over the slots by their present stock, not as planned.' }),
  units: Type.Integer({ minimum: 0, description: 'Units to load into the van.' }),
  products: list(PickProduct),
  stops: list(PickStop),
  /** What its purchases bring, until the first receipt books it in: `came` says where something else came. */
  delivery: Type.Optional(
    list(
      answer('PickDelivery', {
        item: PickItem,
        units: Type.Integer({ minimum: 1, description: 'Single units, as the supplier confirmed them.' }),
        contains: Type.Integer({ minimum: 1, description: 'Units in one case.' }),
      }),
    ),
  ),
})
export type PickList = Static<typeof PickList>

export const PickListQuery = request('PickListQuery', {
  location: Type.Optional(LocationId),
  refresh: Type.Optional(
    Type.Boolean({ description: 'Spread what was bought over the slots again, by their present stock.' }),
  ),
})
export type PickListQuery = Static<typeof PickListQuery>
