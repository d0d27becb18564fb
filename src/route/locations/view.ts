import type { Inventory } from '../../contract/shapes/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import type { Location, LocationHealth } from '../../contract/shapes/location.ts'
import { mayReadCosts } from '../../kernel/caller.ts'
import { DAY, rfc3339 } from '../../kernel/clock.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import type { MachineLane } from '../../vendors/machine-vendor.ts'
import type { Context } from '../../context.ts'
import {
  type LedgerMachineOf,
  type Terms,
  completeFromOf,
  listLedgerCoverage,
  loadLedgerMachines,
  loadTerms,
  NO_TERMS,
} from '../sales/index.ts'
import { addressOf, amenitiesOf, missingFields } from './profile.ts'
import type { CheckedHealth, LocationRecord } from './records.ts'
import type { StoredSlot } from './slot-records.ts'
import type { Booking } from './stock/choose-level.ts'
import { findLastVisits } from './service/records.ts'
import { findMachinesWithSales } from './sync/records.ts'
import { unverifiedWarning } from './texts.ts'

/** An older visit is not looked for. */
const VISIT_DAYS = 120

export async function loadLocationViews(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  records: readonly LocationRecord[],
): Promise<Location[]> {
  const machines = await loadLedgerMachines(
    ctx.store.db,
    records.map(({ id }) => id),
  )
  const unverified = await findUnverified(ctx, records, machines)
  const terms = mayReadCosts()
    ? await loadTerms(
        ctx.store.db,
        records.map(({ id }) => id),
      )
    : () => NO_TERMS
  const visits = await findLastVisits(
    ctx.store.db,
    records.map(({ id }) => id),
    ctx.clock.now() - VISIT_DAYS * DAY,
  )
  return records.map((record) => {
    const timeZone = machines(record).timeZone ?? ctx.config.timeZone
    const visitedAt = visits.get(record.id)
    return {
      ...locationView(record, timeZone, unverified.has(record.id), terms(record)),
      ...(visitedAt === undefined ? {} : { last_visited_at: rfc3339(visitedAt, timeZone) }),
    }
  })
}

/**
 * Machines that were read but have no sale in the window: platforms also answer for ids that do not exist. While
 * the mirror of the window is incomplete, a missing sale proves nothing.
 */
async function findUnverified(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  records: readonly LocationRecord[],
  machines: LedgerMachineOf,
): Promise<ReadonlySet<string>> {
  const read = records.filter(({ online, lastSyncedAt }) => online !== undefined || lastSyncedAt !== undefined)
  if (read.length === 0) return new Set()
  const from = clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY
  const coverage = new Map((await listLedgerCoverage(store.db)).map((each) => [each.namespace, each]))
  const machinesWithSales = await findMachinesWithSales(store.db, read, from)
  return new Set(
    read.flatMap((machine) => {
      const { id, namespace } = machine
      const known = coverage.get(namespace)
      const isComplete = known && completeFromOf(known, from) === null && (machines(machine).completeFrom ?? 0) <= from
      return isComplete && !machinesWithSales.has(id) ? [id] : []
    }),
  )
}

/** Without `hours` they are unknown, not closed: no platform reports them. */
function locationView(record: LocationRecord, timeZone: string, isUnverified: boolean, terms: Terms): Location {
  const { profile } = record
  const address = addressOf(profile)
  const amenities = amenitiesOf(profile)
  const missing = missingFields(profile)
  // Absent where nobody can say: in files, and on a platform that says so.
  const online = record.health?.online === null ? undefined : record.online
  const isOnline = record.health?.online !== false && !isUnverified
  return {
    id: record.id,
    name: record.name,
    namespace: record.namespace,
    ...(address && { address }),
    timezone: timeZone,
    ...(record.hours && { hours: record.hours }),
    ...(amenities && { amenities }),
    ...(online === undefined ? {} : { online: online && isOnline }),
    ...(record.venueName === undefined ? {} : { venue_name: record.venueName }),
    ...(profile.venueType === undefined ? {} : { venue_type: profile.venueType }),
    ...(profile.placement === undefined ? {} : { placement: profile.placement }),
    ...(record.health ? { health: healthView(record.health, timeZone) } : {}),
    ...(record.lastSyncedAt === undefined ? {} : { last_synced_at: rfc3339(record.lastSyncedAt, timeZone) }),
    profile_complete: missing.length === 0,
    missing,
    profile,
    ...(record.geo && { geo: record.geo }),
    ...(record.area === undefined ? {} : { area: record.area }),
    ...(terms.commissionPercent === null ? {} : { commission_percent: terms.commissionPercent }),
    ...(terms.rentFen === null ? {} : { rent_per_month: terms.rentFen }),
    ...(isUnverified ? { messages: [unverifiedWarning(record.id, SALES_WINDOW_DAYS_DEFAULT, record.name)] } : {}),
  }
}

const healthView = ({ online, lastSeenAt, problems, checkedAt }: CheckedHealth, timeZone: string): LocationHealth => ({
  online,
  last_seen_at: lastSeenAt === null ? null : rfc3339(lastSeenAt, timeZone),
  problems: [...problems],
  checked_at: rfc3339(checkedAt, timeZone),
})

export const slotView = (slot: StoredSlot, currency: CurrencyCode): Inventory => ({
  location: slot.location,
  slot_id: slot.slotId,
  stock: slot.stock,
  stock_source: slot.stockSource,
  capacity: slot.capacity,
  ...(slot.capacitySource === null ? {} : { capacity_source: slot.capacitySource }),
  ...statedView(slot),
  ...(slot.lanes && { lanes: slot.lanes.map((lane) => laneView(lane, currency)) }),
  locked: slot.locked,
})

/** When the receipt or count was made that the stock of a slot shows. A receipt is no count. */
export function bookingView(booking: Booking | undefined, timeZone: string) {
  if (!booking) return {}
  const at = rfc3339(booking.at, timeZone)
  if (booking.kind === 'removal') return {}
  return booking.kind === 'count' ? { counted_at: at } : { received_at: at }
}

/** What an operator stated about a slot. */
export const statedView = ({ par, position, isPinned }: Pick<StoredSlot, 'par' | 'position' | 'isPinned'>) => ({
  ...(par === null ? {} : { par }),
  ...(position && { position }),
  ...(isPinned && { pinned: true }),
})

export const laneView = ({ code, priceFen, stock, capacity }: MachineLane, currency: CurrencyCode) => ({
  code,
  price: priceFen === null ? null : money(priceFen, currency),
  stock,
  capacity,
})
