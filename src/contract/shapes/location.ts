/** A machine is a store location; the requests about machines. */
import { type Static, Type } from 'typebox'
import { Inventory, SlotPositionRequest } from './catalog.ts'
import {
  Count,
  ENVELOPE,
  Messages,
  Namespace,
  PaginationRequest,
  PaginationResponse,
  PostalAddress,
  SkuId,
  Timestamp,
  UcpEnvelope,
} from '../common.ts'
import {
  AMENITIES_MAX,
  BATCH_IDS_MAX,
  FILTER_ITEMS_MAX,
  LINE_MAX,
  OPENING_HOURS_MAX,
  PRICE_FEN_MAX,
  QUANTITY_MAX,
  QUERY_MAX,
  SALES_WINDOW_DAYS_DEFAULT,
  SALES_WINDOW_DAYS_MAX,
  SALES_WINDOW_DAYS_MIN,
  SKU_ID_MAX,
  WORD_MAX,
} from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'
import { ConfirmCount } from './service.ts'

const Placement = oneOf(['indoor', 'outdoor', 'semi_outdoor'])
const VenueType = oneOf(['office', 'gym', 'hospital', 'campus', 'transit', 'residential', 'retail', 'other'])

const profileLine = Type.Optional(Type.String({ maxLength: LINE_MAX }))

const MACHINE_PROFILE = {
  city: profileLine,
  address: profileLine,
  placement: Type.Optional(Placement),
  venueType: Type.Optional(VenueType),
  floor: profileLine,
  spot: profileLine,
  notes: profileLine,
  time_zone: Type.Optional(
    Type.String({ maxLength: WORD_MAX, description: 'IANA name; days of its sales are counted in this zone.' }),
  ),
}

export const MachineProfile = answer('MachineProfile', MACHINE_PROFILE)
export type MachineProfile = Static<typeof MachineProfile>

const OPENING_HOURS = {
  day: oneOf(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']),
  opens: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5 }),
  closes: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5 }),
}
const OpeningHours = answer('OpeningHours', OPENING_HOURS)
export type OpeningHours = Static<typeof OpeningHours>

const GEO = {
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
}
const Geo = answer('Geo', GEO)
export type Geo = Static<typeof Geo>

const Area = Type.String({
  maxLength: WORD_MAX,
  description: 'Machines of one area are visited on the same trips; the city where it is not stated.',
})

const CommissionPercent = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'Share of the revenue paid for the place, from the day it is set. Owner and operator only.',
})
const RentPerMonth = Type.Integer({
  minimum: 0,
  maximum: PRICE_FEN_MAX,
  description: 'Paid for the place, in minor units, from the day it is set. Owner and operator only.',
})

export const LocationHealth = answer('LocationHealth', {
  online: nullable(Type.Boolean()),
  last_seen_at: nullable(Timestamp),
  problems: list(Type.String()),
  checked_at: Timestamp,
})
export type LocationHealth = Static<typeof LocationHealth>

export const Location = answer('Location', {
  id: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(
    Type.String({ description: 'The machine platform it belongs to; fixed when it was registered.' }),
  ),
  address: Type.Optional(PostalAddress),
  timezone: Type.Optional(Type.String({ description: 'IANA name; present whenever hours are.' })),
  hours: Type.Optional(list(OpeningHours)),
  amenities: Type.Optional(
    Type.Record(Type.String(), answer('Amenity', { description: Type.String({ minLength: 1 }) }), {
      description: 'Keyed by reverse-domain amenity id.',
    }),
  ),
  online: Type.Optional(Type.Boolean({ description: 'Absent: not known.' })),
  venue_name: Type.Optional(Type.String()),
  venue_type: Type.Optional(VenueType),
  placement: Type.Optional(Placement),
  health: Type.Optional(LocationHealth),
  last_synced_at: Type.Optional(Timestamp),
  last_visited_at: Type.Optional(Timestamp),
  profile_complete: Type.Optional(Type.Boolean()),
  missing: Type.Optional(list(Type.String())),
  profile: Type.Optional(MachineProfile),
  geo: Type.Optional(Geo),
  area: Type.Optional(Area),
  commission_percent: Type.Optional(CommissionPercent),
  rent_per_month: Type.Optional(RentPerMonth),
  messages: Type.Optional(Messages),
  inputs: Type.Optional(
    Type.Immutable(
      Type.Array(answer('LocationInput', { id: Type.String() }), {
        minItems: 1,
        description: 'In lookup responses only: the request ids that matched this machine.',
      }),
    ),
  ),
})
export type Location = Static<typeof Location>

export const LocationList = answer('LocationList', {
  ...ENVELOPE,
  locations: list(Location),
  pagination: Type.Optional(PaginationResponse),
})
export type LocationList = Static<typeof LocationList>

export const LocationAnswer = answer('LocationAnswer', { ...ENVELOPE, location: Location })
export type LocationAnswer = Static<typeof LocationAnswer>

export const SyncReport = answer('SyncReport', {
  ...ENVELOPE,
  locations: Count,
  products: Count,
  slots: Count,
  sales: Count,
})
export type SyncReport = Static<typeof SyncReport>

export const LocationRemoved = answer('LocationRemoved', {
  ucp: UcpEnvelope,
  removed: Type.String(),
  purged: answer('Purged', { profile: Count, context: Count, telemetry: Count }),
})
export type LocationRemoved = Static<typeof LocationRemoved>

export const SlotAnswer = answer('SlotAnswer', { ...ENVELOPE, inventory: Inventory })
export type SlotAnswer = Static<typeof SlotAnswer>

/** Unsupported filters are refused, not ignored: ignoring them would widen the result. */
const SPATIAL = { distance: Type.Optional(Type.Never()), serves: Type.Optional(Type.Never()) }

export const LocationSearchRequest = request('LocationSearchRequest', {
  query: Type.Optional(
    Type.String({ maxLength: QUERY_MAX, description: 'Found anywhere in id, name or address of the machine.' }),
  ),
  filters: Type.Optional(
    request('LocationFilters', {
      items: Type.Optional(
        Type.Array(Type.Union([SkuId, request('ItemFilter', { id: SkuId })]), {
          maxItems: FILTER_ITEMS_MAX,
          description: 'Machines that have all of these in stock now.',
        }),
      ),
      amenities: Type.Optional(Type.Array(text(WORD_MAX), { maxItems: AMENITIES_MAX })),
      hours: Type.Optional(request('HoursFilter', { open_at: Timestamp })),
    }),
  ),
  pagination: Type.Optional(PaginationRequest),
  ...SPATIAL,
})
export type LocationSearchRequest = Static<typeof LocationSearchRequest>

export const LocationLookupRequest = request('LocationLookupRequest', {
  ids: Type.Array(text(SKU_ID_MAX), { maxItems: BATCH_IDS_MAX }),
  ...SPATIAL,
})
export type LocationLookupRequest = Static<typeof LocationLookupRequest>

export const SyncRequest = request('SyncRequest', {
  sales_window_days: Type.Optional(
    Type.Integer({
      minimum: SALES_WINDOW_DAYS_MIN,
      maximum: SALES_WINDOW_DAYS_MAX,
      default: SALES_WINDOW_DAYS_DEFAULT,
    }),
  ),
})
export type SyncRequest = Static<typeof SyncRequest>

export const LocationRequest = request('LocationRequest', {
  name: text(WORD_MAX),
  namespace: Type.Optional(Namespace),
  profile: Type.Optional(request('MachineProfileRequest', MACHINE_PROFILE)),
  geo: Type.Optional(nullable(request('GeoRequest', GEO))),
  area: Type.Optional(nullable(Area)),
  hours: Type.Optional(
    nullable(
      Type.Array(request('OpeningHoursRequest', OPENING_HOURS), {
        maxItems: OPENING_HOURS_MAX,
        description: 'In its own zone. Nothing is delivered on weekdays without any. Empty or null: unknown.',
      }),
    ),
  ),
  commission_percent: Type.Optional(nullable(CommissionPercent)),
  rent_per_month: Type.Optional(nullable(RentPerMonth)),
})
export type LocationRequest = Static<typeof LocationRequest>

export const SlotRequest = request('SlotRequest', {
  locked: Type.Optional(Type.Boolean({ description: 'Locked: skipped by restocking.' })),
  stock: Type.Optional(
    Type.Integer({ minimum: 0, maximum: QUANTITY_MAX, description: 'Units counted in the slot now.' }),
  ),
  confirm_count: ConfirmCount,
  capacity: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: QUANTITY_MAX,
        description: 'Units that fit; overrides the platform. Null: what the platform says.',
      }),
    ),
  ),
  par: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: QUANTITY_MAX,
        description: 'Units to fill the slot up to; null: what demand needs.',
      }),
    ),
  ),
  position: Type.Optional(nullable(SlotPositionRequest)),
  pinned: Type.Optional(Type.Boolean({ description: 'Pinned: the product keeps at least one lane of the machine.' })),
})
export type SlotRequest = Static<typeof SlotRequest>
