import type { Inventory } from '../../contract/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import type { Location } from '../../contract/location.ts'
import { DAY, rfc3339 } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import { completeSince, ledgerCoverage } from '../sales/index.ts'
import { addressOf, amenitiesOf, missingFields } from './profile.ts'
import type { LocationRecord, StoredSlot } from './records.ts'
import { findMachinesWithSales } from './sync/records.ts'
import { unverifiedWarning } from './texts.ts'

export async function locationViews(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  records: readonly LocationRecord[],
): Promise<Location[]> {
  const unverified = await unverifiedAmong(ctx, records)
  return records.map((record) => locationView(record, ctx.config.timeZone, unverified.has(record.id)))
}

/**
 * Machines that were read but have no sale in the window (4.2): platforms also answer for ids that do not exist. While
 * the mirror of the window is incomplete, a missing sale proves nothing.
 */
async function unverifiedAmong(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  records: readonly LocationRecord[],
): Promise<ReadonlySet<string>> {
  const read = records.filter(({ online }) => online !== undefined)
  if (read.length === 0) return new Set()
  const from = clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY
  const coverage = new Map((await ledgerCoverage(store.db)).map((each) => [each.namespace, each]))
  const machinesWithSales = await findMachinesWithSales(store.db, read, from)
  return new Set(
    read.flatMap(({ id, namespace }) => {
      const known = coverage.get(namespace)
      return !machinesWithSales.has(id) && known && completeSince(known, from) === null ? [id] : []
    }),
  )
}

/** No `hours`: no source reports them, and their absence means unknown, not closed (2.5). */
function locationView(record: LocationRecord, timeZone: string, isUnverified: boolean): Location {
  const { profile } = record
  const address = addressOf(profile)
  const amenities = amenitiesOf(profile)
  const missing = missingFields(profile)
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
    ...(isUnverified ? { messages: [unverifiedWarning(record.id, SALES_WINDOW_DAYS_DEFAULT, record.name)] } : {}),
  }
}

export const slotView = (slot: StoredSlot): Inventory => ({
  location: slot.location,
  slot_id: slot.slotId,
  stock: slot.stock,
  capacity: slot.capacity,
  locked: slot.locked,
})
