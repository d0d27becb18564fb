/** POST /locations/search and /locations/lookup: machines as store locations, also by what they have in stock now. */
import type { LocationList, LocationLookupRequest, LocationSearchRequest } from '../../contract/shapes/location.ts'
import { PAGE_DEFAULT, PAGE_MAX, PROBLEMS_MAX } from '../../contract/limits.ts'
import { localDay, rfc3339 } from '../../kernel/clock.ts'
import { isOpenAt } from '../../lib/opening-hours.ts'
import { encodeCursor, pageOf, parseCursor } from '../../lib/pages.ts'
import { type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { type Message, error, info } from '../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../kernel/outcome.ts'
import type { Queryable } from '../../store/store.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import { mapConcurrent, chunk } from '../../lib/concurrency.ts'
import { loadLedgerMachines } from '../sales/index.ts'
import { amenitiesOf, searchedTexts } from './profile.ts'
import { type LocationRecord, findLocations, listLocations } from './records.ts'
import { countProductsCarried } from './carried-product-records.ts'
import { findSlotFacts } from './slot-records.ts'
import type { MachineFailure } from './sync/sync-messages.ts'
import { hoursUnknownWarning, stockUnknownWarning } from './texts.ts'
import { loadLocationViews } from './view.ts'

/** Machines whose stock is read concurrently. */
const MACHINES_AT_ONCE = 8

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config'>
type Found = Outcome<Omit<LocationList, 'ucp'>>

export async function searchLocations(ctx: Deps, request: LocationSearchRequest): Promise<Found> {
  const { query, filters = {}, pagination = {} } = request
  const ids = itemsOf(filters)
  const problems = ids.flatMap((id, i) => {
    const [namespace, path] = [namespaceOf(id), `$.filters.items[${i}]`]
    if (!ctx.vendors.lookup(namespace).ok)
      return [error('namespace_mismatch', `${namespace} is not a machine namespace of this deployment`, path)]
    const platform = ctx.vendors.machine(namespace, path)
    return platform.ok ? [] : platform.refusal.messages
  })
  if (problems.length > 0) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  const items = [...new Set(ids)]
  const cursor = parseCursor(pagination.cursor, '$.pagination.cursor', 'string')
  if (!cursor.ok) return cursor
  const after = cursor.value?.[0] ?? ''

  const roster = await listLocations(ctx.store.db)
  const openAt = filters.hours && Date.parse(filters.hours.open_at)
  const zones = await loadLedgerMachines(ctx.store.db)
  const matching = roster.filter(
    (record) =>
      matchesQuery(record, query) &&
      hasAmenities(record, filters.amenities ?? []) &&
      (openAt === undefined || isOpen(record, openAt, zones(record).timeZone ?? ctx.config.timeZone)),
  )
  const rest = matching.filter(({ id }) => id > after)
  const limit = Math.min(pagination.limit ?? PAGE_DEFAULT, PAGE_MAX)
  const stocked =
    items.length === 0 ? accept({ found: rest, unreadable: [] }) : await findStocked(ctx, rest, items, limit + 1)
  if (!stocked.ok) return stocked

  const { found, unreadable } = stocked.value
  const page = pageOf(found, limit, ({ id }) => encodeCursor(id))
  return accept({
    locations: await loadLocationViews(ctx, page.entries),
    pagination: {
      ...page.pagination,
      // With items, reading stops at a full page: not every machine is read just to count.
      ...(items.length === 0 ? { total_count: matching.length } : {}),
    },
    ...messagesOf([
      ...(filters.hours && (roster.length === 0 || roster.some(({ hours }) => !hours)) ? [hoursUnknownWarning()] : []),
      ...unreadable.map(({ location, failure }) => stockUnknownWarning(location, failure.message)),
    ]),
  })
}

export async function lookupLocations(ctx: Deps, { ids }: LocationLookupRequest): Promise<Found> {
  const asked = [...new Set(ids)]
  const locations = await loadLocationViews(ctx, await findLocations(ctx.store.db, asked))
  const found = new Map(locations.map((location) => [location.id, location]))
  return accept({
    locations: asked.flatMap((id) => {
      const location = found.get(id)
      return location ? [{ ...location, inputs: [{ id }] }] : []
    }),
    ...messagesOf(asked.filter((id) => !found.has(id)).map((id) => info('not_found', id))),
  })
}

const messagesOf = (messages: readonly Message[]) => (messages.length === 0 ? {} : { messages: [...messages] })

const itemsOf = ({ items = [] }: NonNullable<LocationSearchRequest['filters']>): SkuId[] =>
  items.map((item) => (typeof item === 'string' ? item : item.id) as SkuId)

function matchesQuery({ id, name, venueName, profile }: LocationRecord, query: string | undefined): boolean {
  const wanted = query?.trim().toLowerCase()
  if (!wanted) return true
  return [id, name, venueName, ...searchedTexts(profile)].some((text) => text?.toLowerCase().includes(wanted))
}

function hasAmenities({ profile }: LocationRecord, wanted: readonly string[]): boolean {
  const amenities = amenitiesOf(profile) ?? {}
  return wanted.every((key) => Object.hasOwn(amenities, key))
}

/** A machine whose hours nobody stated may be open. */
const isOpen = ({ hours }: LocationRecord, at: number, timeZone: string): boolean =>
  !hours || isOpenAt(hours, weekdayOf(at, timeZone), rfc3339(at, timeZone).slice(11, 16))

/** Monday is 0. */
const weekdayOf = (at: number, timeZone: string): number =>
  (new Date(`${localDay(at, timeZone)}T00:00Z`).getUTCDay() + 6) % 7

/**
 * The machines that have every item in stock now, up to `foundMax`. The last sync says which machines carry the
 * items, so that only those are read. A machine that is offline is left out with a message; when the platform fails, or
 * no machine can be read, the search is refused.
 */
async function findStocked(
  { store, vendors }: Deps,
  records: readonly LocationRecord[],
  items: readonly SkuId[],
  foundMax: number,
): Promise<Outcome<{ readonly found: readonly LocationRecord[]; readonly unreadable: readonly MachineFailure[] }>> {
  const candidates = machinesCarrying(records, items, await countProductsCarried(store.db, items))
  const found: LocationRecord[] = []
  const unreadable: MachineFailure[] = []
  let hasRead = false
  for (const part of chunk(candidates, MACHINES_AT_ONCE)) {
    const inventories = await mapConcurrent(MACHINES_AT_ONCE, part, async (record) => {
      const platform = vendors.machine(record.namespace)
      return platform.ok ? { record, inventory: await platform.value.inventory(record.id) } : platform
    })
    for (const read of inventories) {
      if ('refusal' in read) return read
      const { record, inventory } = read
      if (inventory.ok) {
        hasRead = true
        if (await hasAllInStock(store.db, record, inventory.value, items)) found.push(record)
      } else if (inventory.reason === 'rejected') unreadable.push({ location: record, failure: inventory })
      else return toRefusal(inventory)
    }
    if (found.length >= foundMax) break
  }
  const [first] = unreadable
  return first && !hasRead ? toRefusal(first.failure) : accept({ found, unreadable })
}

/** Where the platform reports no stock, our own book counts. */
async function hasAllInStock(
  db: Queryable,
  { id }: LocationRecord,
  slots: readonly MachineSlot[],
  items: readonly SkuId[],
): Promise<boolean> {
  const wanted = new Set(items.map(vendorSkuOf))
  const carried = slots.filter(({ vendorSku }) => wanted.has(vendorSku))
  const facts = carried.some(({ stock }) => stock === null) ? await findSlotFacts(db, id) : undefined
  const stocked = carried.filter(({ vendorSku, stock }) => (stock ?? facts?.get(vendorSku)?.level?.stock ?? 0) > 0)
  return stocked.length >= wanted.size
}

/** Machines that were never synced may carry anything. */
const machinesCarrying = (
  records: readonly LocationRecord[],
  items: readonly SkuId[],
  carried: ReadonlyMap<string, number>,
): LocationRecord[] =>
  records.filter(
    ({ id, namespace, lastSyncedAt }) =>
      items.every((item) => namespaceOf(item) === namespace) &&
      (lastSyncedAt === undefined || carried.get(id) === items.length),
  )
