/** POST /locations/search and /locations/lookup: the roster as store locations, also by what they have in stock now. */
import type { LocationList, LocationLookupRequest, LocationSearchRequest } from '../../contract/location.ts'
import { PAGE_DEFAULT, PAGE_MAX, PROBLEMS_MAX } from '../../contract/limits.ts'
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts'
import { namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { info, warning } from '../../kernel/message.ts'
import type { Message } from '../../kernel/message.ts'
import { accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Queryable } from '../../store/store.ts'
import type { Failure, MachineSlot } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { mapConcurrent, chunk } from '../../lib/concurrency.ts'
import { amenitiesOf } from './profile.ts'
import { findLocations, listLocations } from './records.ts'
import type { LocationRecord } from './records.ts'
import { viewLocations } from './view.ts'

/** Machines asked for their stock at once. */
const ASKED_AT_ONCE = 8

type Needs = Pick<Context, 'store' | 'clock' | 'vendors' | 'config'>
type Found = Outcome<Omit<LocationList, 'ucp'>>

export async function searchLocations(ctx: Needs, request: LocationSearchRequest): Promise<Found> {
  const { query, filters = {}, pagination = {} } = request
  const named = itemsOf(filters)
  const problems = named.flatMap((id, i) => {
    const platform = ctx.vendors.machine(namespaceOf(id), `$.filters.items[${i}]`)
    return platform.ok ? [] : platform.refusal.messages
  })
  if (problems.length > 0) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  const items = [...new Set(named)]
  const after = pagination.cursor === undefined ? '' : decodeCursor(pagination.cursor, 'string')?.[0]
  if (after === undefined) return refuse('invalid', 'the cursor is not one of ours', '$.pagination.cursor')

  const roster = await listLocations(ctx.store.db)
  const fitting = roster.filter((record) => mentions(record, query) && hasAmenities(record, filters.amenities ?? []))
  const rest = fitting.filter(({ id }) => id > after)
  const limit = Math.min(pagination.limit ?? PAGE_DEFAULT, PAGE_MAX)
  const stocked = items.length === 0 ? accept({ found: rest, silent: [] }) : await inStock(ctx, rest, items, limit + 1)
  if (!stocked.ok) return stocked

  const { found, silent } = stocked.value
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const more = found.length > limit && last !== undefined
  return accept({
    locations: await viewLocations(ctx, page),
    pagination: {
      has_next_page: more,
      ...(more ? { cursor: encodeCursor(last.id) } : {}),
      // With items the answer stops at a full page: nobody asks every machine just to count.
      ...(items.length === 0 ? { total_count: fitting.length } : {}),
    },
    ...messagesOf([
      ...(filters.hours ? [warning('hours_unknown', 'no machine has told its hours; they were not filtered by')] : []),
      ...silent.map(({ id, failure }) => warning('sync_problem', `${id}: ${failure.message}; its stock is not known`)),
    ]),
  })
}

export async function lookupLocations(ctx: Needs, { ids }: LocationLookupRequest): Promise<Found> {
  const asked = [...new Set(ids)]
  const locations = await viewLocations(ctx, await findLocations(ctx.store.db, asked))
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

function mentions({ id, name, venueName, profile }: LocationRecord, query: string | undefined): boolean {
  const wanted = query?.trim().toLowerCase()
  if (!wanted) return true
  const { city, address, floor, spot } = profile
  return [id, name, venueName, city, address, floor, spot].some((text) => text?.toLowerCase().includes(wanted))
}

function hasAmenities({ profile }: LocationRecord, wanted: readonly string[]): boolean {
  const amenities = amenitiesOf(profile) ?? {}
  return wanted.every((key) => Object.hasOwn(amenities, key))
}

interface Stocked {
  readonly found: readonly LocationRecord[]
  readonly silent: readonly SilentMachine[]
}

interface SilentMachine {
  readonly id: string
  readonly failure: Failure
}

/**
 * Which machines have every item in stock now, up to `enough` of them. Which goods a machine carries is taken from its
 * last sync, so that not the whole route is asked; how many are left is asked live. A machine that is offline is left
 * out and told; when the platform fails, or nobody answers at all, there is no answer to give.
 */
async function inStock(
  { store, vendors }: Needs,
  records: readonly LocationRecord[],
  items: readonly SkuId[],
  enough: number,
): Promise<Outcome<Stocked>> {
  const carrying = await carriers(store.db, records, items)
  const found: LocationRecord[] = []
  const silent: SilentMachine[] = []
  let heard = 0
  for (const part of chunk(carrying, ASKED_AT_ONCE)) {
    const answers = await mapConcurrent(ASKED_AT_ONCE, part, async (record) => {
      const platform = vendors.machine(record.namespace)
      return platform.ok ? { record, answer: await platform.value.inventory(record.id) } : platform
    })
    for (const asked of answers) {
      if ('refusal' in asked) return asked
      const { record, answer } = asked
      if (answer.ok) {
        heard += 1
        if (hasAll(answer.value, items)) found.push(record)
      } else if (answer.reason === 'rejected') silent.push({ id: record.id, failure: answer })
      else return toRefusal(answer)
    }
    if (found.length >= enough) break
  }
  const [first] = silent
  return first && heard === 0 ? toRefusal(first.failure) : accept({ found, silent })
}

const hasAll = (slots: readonly MachineSlot[], items: readonly SkuId[]): boolean => {
  const stocked = new Set(slots.filter(({ stock }) => stock > 0).map(({ vendorSku }) => vendorSku))
  return items.every((id) => stocked.has(vendorSkuOf(id)))
}

async function carriers(
  db: Queryable,
  records: readonly LocationRecord[],
  items: readonly SkuId[],
): Promise<LocationRecord[]> {
  const rows = await db.selectFrom('slot').select(['location', 'sku_id']).where('sku_id', 'in', items).execute()
  const kept = new Map<string, number>()
  for (const { location } of rows) kept.set(location, (kept.get(location) ?? 0) + 1)
  return records.filter(
    ({ id, namespace, lastSyncedAt }) =>
      items.every((item) => namespaceOf(item) === namespace) &&
      (lastSyncedAt === undefined || kept.get(id) === items.length),
  )
}
