/** Operations of the contract: machines, their slots and what was done at them. */
import { Type } from 'typebox'
import { Cash, CashQuery } from '../shapes/money/cash.ts'
import { CalendarRequest, HolidayAnswer, HolidayList, HolidayRequest, MachineCalendar } from '../shapes/calendar.ts'
import { ACTIVE } from '../capabilities.ts'
import { LocationHistory, LocationHistoryQuery } from '../shapes/location-history.ts'
import { Day, LocationId, SlotId } from '../common.ts'
import { WORD_MAX } from '../limits.ts'
import {
  LocationAnswer,
  LocationList,
  LocationLookupRequest,
  LocationRemoved,
  LocationRequest,
  LocationSearchRequest,
  SlotAnswer,
  SlotRequest,
  SyncReport,
  SyncRequest,
} from '../shapes/location.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { text } from '../schema-helpers.ts'
import { ServiceAnswer, ServiceRequest } from '../shapes/service.ts'
import { LocationParams } from './params.ts'

const COMMON = { section: '4.3', tag: 'Locations', capabilities: ACTIVE.roster } as const

export const locationsOperations = operationRows(COMMON, {
  searchLocations: {
    method: 'POST',
    path: '/locations/search',
    summary: 'Searches machines, optionally by what they have in stock.',
    roles: ROLES.routeReaders,
    body: LocationSearchRequest,
    bodyOptional: true,
    returns: LocationList,
    capabilities: ACTIVE.locationSearch,
    safe: true,
    codes: ['namespace_mismatch', 'namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  lookupLocations: {
    method: 'POST',
    path: '/locations/lookup',
    summary: 'Returns up to 50 machines by id.',
    roles: ROLES.routeReaders,
    body: LocationLookupRequest,
    returns: LocationList,
    capabilities: ACTIVE.locationLookup,
    safe: true,
    codes: ['request_too_large'],
  },
  syncLocations: {
    method: 'POST',
    path: '/locations/sync',
    summary: 'Reads live inventory and sales of every registered machine now.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    body: SyncRequest,
    bodyOptional: true,
    returns: SyncReport,
    codes: ['namespace_unsupported', 'supplier_rejected', 'upstream_unreachable'],
  },
  getLocationHistory: {
    method: 'GET',
    path: '/locations/{id}/history',
    summary:
      'Returns the stock of a machine or slot over time, its visits and price changes, and what empty slots lost.',
    roles: ROLES.readers,
    params: LocationParams,
    query: LocationHistoryQuery,
    returns: LocationHistory,
    codes: ['not_found'],
  },
  putLocation: {
    method: 'PUT',
    path: '/locations/{id}',
    summary: 'Registers a machine or updates its name and profile.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: LocationParams,
    body: LocationRequest,
    returns: LocationAnswer,
    codes: ['namespace_mismatch', 'namespace_unsupported', 'not_editable'],
  },
  deleteLocation: {
    method: 'DELETE',
    path: '/locations/{id}',
    summary: 'Removes a machine and deletes its data, except events.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: LocationParams,
    returns: LocationRemoved,
    codes: ['not_found'],
  },
  getCalendar: {
    method: 'GET',
    path: '/locations/{id}/calendar',
    summary: 'Returns closed days and expected events of a machine.',
    roles: ROLES.routeReaders,
    params: LocationParams,
    returns: MachineCalendar,
    codes: ['not_found'],
  },
  putCalendar: {
    method: 'PUT',
    path: '/locations/{id}/calendar',
    summary: 'Replaces closed days and expected events of a machine, which demand and plan respect.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: LocationParams,
    body: CalendarRequest,
    returns: MachineCalendar,
    codes: ['not_found'],
  },
  getHolidays: {
    method: 'GET',
    path: '/holidays',
    summary: 'Lists public holidays of the coming year, and which machines are closed on them.',
    roles: ROLES.writers,
    returns: HolidayList,
  },
  putHoliday: {
    method: 'PUT',
    path: '/holidays/{date}',
    summary: 'States which machines are closed on a public holiday; it becomes an entry of their calendars.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: Type.Object({ date: Day }),
    body: HolidayRequest,
    returns: HolidayAnswer,
    codes: ['not_found'],
  },
  updateSlot: {
    method: 'PUT',
    path: '/locations/{id}/slots/{slot_id}',
    summary: 'Locks or unlocks a slot; records a count of its stock, its capacity, par level and position.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: Type.Object({ id: LocationId, slot_id: SlotId }),
    body: SlotRequest,
    returns: SlotAnswer,
    capabilities: ACTIVE.slots,
    codes: ['not_found'],
  },
  serviceMachine: {
    method: 'POST',
    path: '/locations/{id}/service',
    summary: 'Records units taken out of a machine, slots counted and cash collected, without a run.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: LocationParams,
    body: ServiceRequest,
    returns: ServiceAnswer,
    capabilities: ACTIVE.slots,
    codes: ['not_found'],
  },
  getCash: {
    method: 'GET',
    path: '/cash',
    summary: 'Returns the cash that machines should hold by their counters, and what was collected.',
    roles: ROLES.writers,
    query: CashQuery,
    returns: Cash,
    capabilities: ACTIVE.order,
    codes: ['not_found'],
  },
  undoService: {
    method: 'POST',
    path: '/locations/{id}/service/{service_id}/undo',
    summary: 'Takes back a service, or the receipt of a stop, within ten minutes.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: Type.Object({ id: LocationId, service_id: text(WORD_MAX) }),
    returns: ServiceAnswer,
    capabilities: ACTIVE.slots,
    codes: ['not_found', 'not_editable', 'undo_expired'],
  },
} as const satisfies OperationRows)
