/** Restock runs, from the request to what was received. */
import { type Static, Type } from 'typebox'
import { UnitCode } from './catalog.ts'
import { CheckoutStatus } from './checkout.ts'
import {
  Actions,
  DRY_RUN,
  LocationId,
  Messages,
  PARTED,
  PaginationResponse,
  Price,
  SkuId,
  SlotId,
  Timestamp,
  UcpEnvelope,
} from '../common.ts'
import { DELIVERED_LINES_MAX, QUANTITY_MAX, SUMMARY_MAX, RUN_LOCATIONS_MAX, WORD_MAX } from '../limits.ts'
import { ORDER, ORDER_LINE_ITEM, OrderDelivered } from './order.ts'
import { By } from './people.ts'
import { answer, list, request } from '../schema-helpers.ts'
import { RunVisit } from './service.ts'
import { RunStatus } from './run-status.ts'

export const RunRequest = request('RunRequest', {
  ask: Type.Optional(Type.Boolean({ description: 'True: the owner decides, also where the rules would allow it.' })),
  area: Type.Optional(
    Type.String({ minLength: 1, maxLength: WORD_MAX, description: 'Only the machines of this area.' }),
  ),
  locations: Type.Optional(
    Type.Array(LocationId, {
      minItems: 1,
      maxItems: RUN_LOCATIONS_MAX,
      description: 'Only these machines, also those that are not due.',
    }),
  ),
  lines: Type.Optional(
    Type.Array(
      request('RunRequestLine', { slot_id: SlotId, quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX }) }),
      {
        minItems: 1,
        maxItems: DELIVERED_LINES_MAX,
        description: 'Other quantities than planned, for slots of these machines; 0 leaves a slot out.',
      },
    ),
  ),
})
export type RunRequest = Static<typeof RunRequest>

const RunSource = answer('RunSource', {
  sku_id: SkuId,
  unit: UnitCode,
  ordered: Type.Optional(
    Type.Integer({
      description:
        'Units of this product that the whole run orders, where that is more than its lines need: the supplier sells it only in larger quantities.',
    }),
  ),
})
export type RunSource = Static<typeof RunSource>

export const RunLineItem = answer('RunLineItem', {
  ...ORDER_LINE_ITEM,
  slot_id: Type.String(),
  location: Type.String(),
  source: Type.Optional(RunSource),
  from_storeroom: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Units that the store room gives; a forecast until the run is placed.' }),
  ),
  cost_is_estimated: Type.Optional(Type.Boolean()),
})
export type RunLineItem = Static<typeof RunLineItem>

const RunCheckout = answer('RunCheckout', { id: Type.String(), vendor: Type.String(), status: CheckoutStatus })
export type RunCheckout = Static<typeof RunCheckout>

export const ReplenishmentRun = answer('ReplenishmentRun', {
  ...ORDER,
  line_items: list(RunLineItem),
  status: RunStatus,
  created_at: Timestamp,
  placed_at: Type.Optional(Timestamp),
  delivered_at: Type.Optional(Timestamp),
  supplier: Type.Optional(Type.String({ description: '`simulated` while placement is simulated.' })),
  cost_is_estimated: Type.Boolean(),
  strategy_version: Type.Optional(Type.String()),
  checkouts: Type.Optional(list(RunCheckout)),
  stays_in_storeroom: Type.Optional(Price),
  visits: Type.Optional(
    Type.Immutable(Type.Array(RunVisit, { description: 'The machines of a placed run, each received or still open.' })),
  ),
  note: Type.Optional(Type.String()),
  by: Type.Optional(By),
  actions: Type.Optional(Actions),
  ...DRY_RUN,
})
export type ReplenishmentRun = Static<typeof ReplenishmentRun>

export const RunList = answer('RunList', {
  ucp: UcpEnvelope,
  runs: list(ReplenishmentRun),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
export type RunList = Static<typeof RunList>

export const RunQuery = request('RunQuery', { location: Type.Optional(LocationId) })
export type RunQuery = Static<typeof RunQuery>

export const RunListQuery = request('RunListQuery', { status: Type.Optional(RunStatus), ...PARTED })
export type RunListQuery = Static<typeof RunListQuery>

export const ReceiveRequest = request('ReceiveRequest', {
  delivered: Type.Array(
    request('DeliveredLine', {
      slot_id: SlotId,
      quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX }),
    }),
    { minItems: 1, maxItems: DELIVERED_LINES_MAX },
  ),
  came: Type.Optional(OrderDelivered),
  note: Type.Optional(Type.String({ maxLength: SUMMARY_MAX })),
})
export type ReceiveRequest = Static<typeof ReceiveRequest>
