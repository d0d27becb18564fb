import type { Inventory } from '../../contract/catalog.ts'
import type { Location } from '../../contract/location.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { addressOf, amenitiesOf, missingOf } from './profile.ts'
import type { LocationRecord, StoredSlot } from './records.ts'

/** No `hours`: nobody tells them, and their absence means unknown, not closed (2.5). */
export function viewLocation(record: LocationRecord, timeZone: string): Location {
  const { profile } = record
  const address = addressOf(profile)
  const amenities = amenitiesOf(profile)
  const missing = missingOf(profile)
  return {
    id: record.id,
    name: record.name,
    ...(address && { address }),
    timezone: timeZone,
    ...(amenities && { amenities }),
    ...(record.online === undefined ? {} : { online: record.online }),
    ...(record.venueName === undefined ? {} : { venue_name: record.venueName }),
    ...(profile.venueType === undefined ? {} : { venue_type: profile.venueType }),
    ...(profile.placement === undefined ? {} : { placement: profile.placement }),
    ...(record.lastSyncedAt === undefined ? {} : { last_synced_at: rfc3339(record.lastSyncedAt, timeZone) }),
    profile_complete: missing.length === 0,
    missing,
    profile,
  }
}

export const viewSlot = (slot: StoredSlot): Inventory => ({
  location: slot.location,
  slot_id: slot.slotId,
  stock: slot.stock,
  capacity: slot.capacity,
  locked: slot.locked,
})
