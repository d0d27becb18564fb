/** The stock of one machine over time: our own operation, for the question why a machine is empty. */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, ENVELOPE, LocationId, SkuId, SlotId, Timestamp } from '../common.ts'
import { HISTORY_DAYS_DEFAULT, HISTORY_DAYS_MAX } from '../limits.ts'
import { answer, list, nullable, request } from '../schema-helpers.ts'
import { Service } from './service.ts'

const StockPoint = answer('StockPoint', {
  at: Timestamp,
  stock: nullable(Type.Integer({ minimum: 0 })),
  empty_slots: Count,
})
export type StockPoint = Static<typeof StockPoint>

const HistoryVisit = answer('HistoryVisit', {
  at: Timestamp,
  units: Count,
  slots: Count,
  booked: Type.Boolean({ description: 'False: nobody recorded it, but the machine reported more stock than before.' }),
})

const HistoryPrice = answer('HistoryPrice', {
  at: Timestamp,
  item: answer('HistoryItem', { id: SkuId, title: Type.String() }),
  previous: Amount,
  price: Amount,
})

const LOST = {
  lost_units: Type.Number({ minimum: 0, description: 'Estimate: units a day while in stock, times the days empty.' }),
  lost_revenue: Amount,
} as const

const SlotHistory = answer('SlotHistory', {
  slot_id: Type.String(),
  item: answer('HistoryItem', { id: SkuId, title: Type.String() }),
  stock: nullable(Type.Integer()),
  sold: Count,
  empty_hours: Type.Number({ minimum: 0 }),
  empty_since: Type.Optional(Timestamp),
  last_visit_at: Type.Optional(Timestamp),
  ...LOST,
})
export type SlotHistory = Static<typeof SlotHistory>

export const LocationHistory = answer('LocationHistory', {
  ...ENVELOPE,
  location: LocationId,
  from: Timestamp,
  to: Timestamp,
  currency: Currency,
  stock: Type.Immutable(
    Type.Array(StockPoint, { description: 'At most 121 points at equal distances, of the machine or of `slot_id`.' }),
  ),
  visits: list(HistoryVisit),
  services: Type.Immutable(
    Type.Array(Service, { description: 'What people recorded there, the latest first; at most 100.' }),
  ),
  price_changes: list(HistoryPrice),
  slots: list(SlotHistory),
  ...LOST,
})
export type LocationHistory = Static<typeof LocationHistory>

export const LocationHistoryQuery = request('LocationHistoryQuery', {
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: HISTORY_DAYS_MAX, default: HISTORY_DAYS_DEFAULT })),
  slot_id: Type.Optional(SlotId),
})
export type LocationHistoryQuery = Static<typeof LocationHistoryQuery>
