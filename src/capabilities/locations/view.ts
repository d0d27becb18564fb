import type { Inventory } from '../../contract/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import type { Location } from '../../contract/location.ts'
import { DAY, rfc3339 } from '../../kernel/clock.ts'
import { warning } from '../../kernel/message.ts'
import type { Context } from '../context.ts'
import { completeSince, ledgerCoverage } from '../sales/index.ts'
import { addressOf, amenitiesOf, missingOf } from './profile.ts'
import type { LocationRecord, StoredSlot } from './records.ts'
import { sightings } from './sync/records.ts'

export async function viewLocations(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  records: readonly LocationRecord[],
): Promise<Location[]> {
  const unverified = await unverifiedAmong(ctx, records)
  return records.map((record) => locationView(record, ctx.config.timeZone, unverified.has(record.id)))
}

/**
 * Machines that were asked and that no sale of the window confirms (4.2): platforms answer for ids that do not exist, too.
 * As long as the window is not wholly mirrored, a missing sale proves nothing.
 */
async function unverifiedAmong(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  records: readonly LocationRecord[],
): Promise<ReadonlySet<string>> {
  const asked = records.filter(({ online }) => online !== undefined)
  if (asked.length === 0) return new Set()
  const from = clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY
  const coverage = new Map((await ledgerCoverage(store.db)).map((each) => [each.namespace, each]))
  const seen = await sightings(store.db, asked, from)
  return new Set(
    asked.flatMap(({ id, namespace }) => {
      const known = coverage.get(namespace)
      return !seen.has(id) && known && completeSince(known, from) === null ? [id] : []
    }),
  )
}

const unverifiedWarning = (id: string) =>
  warning(
    'location_unverified',
    `No sales from ${id} in ${SALES_WINDOW_DAYS_DEFAULT} days: the platform may not know it. Check that the machine ID is right.`,
  )

/** No `hours`: nobody tells them, and their absence means unknown, not closed (2.5). */
function locationView(record: LocationRecord, timeZone: string, isUnverified: boolean): Location {
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
    ...(record.online === undefined ? {} : { online: record.online && !isUnverified }),
    ...(record.venueName === undefined ? {} : { venue_name: record.venueName }),
    ...(profile.venueType === undefined ? {} : { venue_type: profile.venueType }),
    ...(profile.placement === undefined ? {} : { placement: profile.placement }),
    ...(record.lastSyncedAt === undefined ? {} : { last_synced_at: rfc3339(record.lastSyncedAt, timeZone) }),
    profile_complete: missing.length === 0,
    missing,
    profile,
    ...(isUnverified ? { messages: [unverifiedWarning(record.id)] } : {}),
  }
}

export const slotView = (slot: StoredSlot): Inventory => ({
  location: slot.location,
  slot_id: slot.slotId,
  stock: slot.stock,
  capacity: slot.capacity,
  locked: slot.locked,
})
