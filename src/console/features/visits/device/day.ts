/** Today's visits as last read from the service, kept on the device with the time they were read. */
import { signal } from '@preact/signals'
import type { SlotPosition, Variant } from '../../../../contract/shapes/catalog.ts'
import type { Location } from '../../../../contract/shapes/location.ts'
import type { PickList } from '../../../../contract/shapes/pick-list.ts'
import type { PlanEntry, TakeBack } from '../../../../contract/shapes/replenishment.ts'
import type { ReplenishmentRun } from '../../../../contract/shapes/run.ts'
import { client, VendopsError } from '../../../lib/service/api.ts'
import { byName } from '../../../lib/text/natural-order.ts'
import { learnZone, nowTimestamp, today } from '../../../lib/text/format.ts'
import { person } from '../../../lib/service/me.ts'
import { withoutUnbought } from '../../runs/run-line.ts'
import { runName } from '../../runs/run-text.ts'
import { collect } from '../../../lib/service/resource.ts'
import { slotPlace } from '../../machines/slot-place.ts'
import { getRecord, putRecord } from './database.ts'
import { presses } from './presses.ts'

export interface DaySlot {
  readonly id: string
  readonly sku: string
  readonly title: string
  readonly position?: SlotPosition
  /** The platform's name of the lane. */
  readonly lane?: string
  /** What the service expects in the slot; undefined where nobody knows. */
  readonly stock?: number
  readonly capacity?: number
  /** What its units may become in the store room, where there are several, and which it most likely is. */
  readonly takeBack?: Pick<TakeBack, 'items' | 'last_loaded'>
  /** Units of the run for this slot. */
  readonly quantity?: number
  /** The supplier's product that they are, and how many of them the store room gives. */
  readonly source?: string
  readonly stored?: number
}

export interface DayVisit {
  readonly run?: string
  readonly runName?: string
  readonly location: string
  readonly name: string
  readonly place?: string
  readonly sequence: number
  readonly receivedAt?: string
  readonly serviceId?: string
  readonly undoUntil?: string
  readonly slots: readonly DaySlot[]
}

export interface Day {
  /** The person it was read for. */
  readonly id: string
  readonly person: string
  readonly asOf: string
  readonly visits: readonly DayVisit[]
  readonly pickLists: readonly PickList[]
  /** Every machine of the route, for a visit without a run. */
  readonly machines: readonly {
    readonly id: string
    readonly name: string
    readonly place?: string
    readonly geo?: NonNullable<Location['geo']>
  }[]
}

export const day = signal<Day | undefined>(undefined)

const RUNS_MAX = 20
const MACHINES_MAX = 2000
const SLOTS_MAX = 2000
const PAGE = 100
const CONCURRENT_MAX = 4
/** `2026-09-10` of a timestamp. */
const DATE_LENGTH = 10

const placeOf = ({ name, address, venue_name, profile }: Location): string | undefined =>
  [venue_name === name ? '' : venue_name, address?.street_address, profile?.floor, profile?.spot]
    .filter(Boolean)
    .join(' · ') || undefined

const slotOf = ({ slot_id, item, stock, capacity, position, lane }: PlanEntry): DaySlot => ({
  id: slot_id,
  sku: item.id,
  title: item.title,
  stock,
  ...(position ? { position } : {}),
  ...(lane === undefined ? {} : { lane }),
  ...(typeof capacity === 'number' ? { capacity } : {}),
})

/** In the order of the machine, as on the pick list: slots of a known position first. */
const byPlace = (a: DaySlot, b: DaySlot): number =>
  Number(b.position !== undefined) - Number(a.position !== undefined) || byName(slotPlace(a.id, a), slotPlace(b.id, b))

/** A slot as the machine's own catalog knows it: also one whose stock nobody knows. */
const catalogSlot = ({ id, title, inventory }: Variant): readonly DaySlot[] =>
  inventory === undefined
    ? []
    : [
        {
          id: inventory.slot_id,
          sku: id,
          title,
          ...(inventory.stock === null ? {} : { stock: inventory.stock }),
          ...(inventory.position ? { position: inventory.position } : {}),
          ...(inventory.lanes?.[0] ? { lane: inventory.lanes[0].code } : {}),
          ...(typeof inventory.capacity === 'number' ? { capacity: inventory.capacity } : {}),
        },
      ]

/** Every slot that the platform lists for a machine; none where no platform is known for it. */
async function readCatalogSlots(location: string, platform: string | undefined): Promise<readonly DaySlot[]> {
  const namespace = platform ?? (await client.lookupLocations({ body: { ids: [location] } })).locations[0]?.namespace
  if (namespace === undefined) return []
  const body = { filters: { namespace, location }, pagination: { limit: PAGE } }
  const products = await collect(client.all.searchCatalog({ body }), SLOTS_MAX)
  return products.flatMap(({ variants }) => variants).flatMap(catalogSlot)
}

/**
 * The slots of a machine. A plan leaves out those whose stock is unknown, which are the ones to count: they come from the
 * catalog of the machine, which asks its platform. Where that fails, the slots of the plan can still be visited.
 */
async function readSlots(location: string, namespace?: string): Promise<readonly DaySlot[]> {
  const { plans, messages = [], take_backs: takeBacks = [] } = await client.getPlan({ query: { location } })
  const planned = plans.map(slotOf)
  const isWhole = planned.length > 0 && messages.every(({ code }) => code !== 'stock_unknown')
  const listed = isWhole
    ? []
    : await readCatalogSlots(location, namespace).catch((failure: unknown) => {
        if (planned.length === 0) throw failure
        return []
      })
  const known = new Set(planned.map(({ id }) => id))
  const choices = new Map(takeBacks.map(({ slot_id, ...choice }) => [slot_id, choice]))
  return [...planned, ...listed.filter(({ id }) => !known.has(id))].toSorted(byPlace).map((slot) => {
    const takeBack = choices.get(slot.id)
    return takeBack ? { ...slot, takeBack } : slot
  })
}

/** Up to four at a time, in order. */
async function mapSome<T, R>(list: readonly T[], map: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < list.length; from += CONCURRENT_MAX)
    results.push(...(await Promise.all(list.slice(from, from + CONCURRENT_MAX).map(map))))
  return results
}

/** The slots of a machine with what a run brings; first those it fills. */
function withLoad(slots: readonly DaySlot[], loads: ReadonlyMap<string, DaySlot>): readonly DaySlot[] {
  const known = new Set(slots.map(({ id }) => id))
  const loaded = [...slots, ...[...loads.values()].filter(({ id }) => !known.has(id))].map((slot) => {
    const { quantity, source, stored } = loads.get(slot.id) ?? {}
    return quantity === undefined
      ? slot
      : { ...slot, quantity, ...(source !== undefined && { source }), ...(stored !== undefined && { stored }) }
  })
  return loaded.toSorted(byPlace)
}

/** What a run brings to each slot of a machine. */
function loadsOf(run: ReplenishmentRun, location: string): ReadonlyMap<string, DaySlot> {
  const lines = run.line_items.filter((line) => line.location === location && line.status !== 'removed')
  return new Map(
    lines.map((line) => [
      line.slot_id,
      {
        id: line.slot_id,
        sku: line.item.id,
        title: line.item.title,
        quantity: line.quantity.total,
        ...(line.source && { source: line.source.sku_id }),
        ...(line.from_storeroom !== undefined && { stored: line.from_storeroom }),
      },
    ]),
  )
}

/** A machine that was removed, or whose platform does not answer, leaves the others as they are: its run says what to load. */
function withoutSlots(failure: unknown): readonly DaySlot[] {
  if (failure instanceof VendopsError && (failure.status === 404 || failure.status === 502)) return []
  throw failure
}

async function readDay(): Promise<Day> {
  const owner = person.peek()
  const [runs, locations] = await Promise.all([
    collect(client.all.listRuns({ query: { status: 'placed', limit: RUNS_MAX } }), RUNS_MAX),
    collect(client.all.searchLocations({ body: { pagination: { limit: PAGE } } }), MACHINES_MAX),
  ])
  // Drivers get no events, so the zone of the service comes from what they read.
  const stated = runs[0]?.placed_at ?? locations.find((location) => location.last_synced_at)?.last_synced_at
  if (stated) learnZone(stated)
  const oldestFirst = runs.toSorted((a, b) => (a.placed_at ?? '').localeCompare(b.placed_at ?? ''))
  // A run whose pick list cannot be read is still visited.
  const pickLists = await mapSome(oldestFirst, ({ id }) =>
    client.getPickList({ params: { id } }).catch(() => undefined),
  )
  const ids = [...new Set(oldestFirst.flatMap(({ visits = [] }) => visits.map(({ location }) => location)))]
  const machines = new Map(locations.map((location) => [location.id, location]))
  const slots = new Map(
    await mapSome(ids, async (id) => {
      const read = readSlots(id, machines.get(id)?.namespace).catch(withoutSlots)
      return [id, await read] as const
    }),
  )
  const bought = oldestFirst.map((run, i) => withoutUnbought(run, pickLists[i]))
  const visits = bought.flatMap((run) =>
    (run.visits ?? []).map((visit): DayVisit => {
      const machine = machines.get(visit.location)
      const place = machine && placeOf(machine)
      return {
        run: run.id,
        runName: runName(run),
        location: visit.location,
        name: visit.name,
        sequence: visit.sequence,
        slots: withLoad(slots.get(visit.location) ?? [], loadsOf(run, visit.location)),
        ...(place ? { place } : {}),
        ...(visit.received_at ? { receivedAt: visit.received_at } : {}),
        ...(visit.service_id ? { serviceId: visit.service_id } : {}),
        ...(visit.undo_until ? { undoUntil: visit.undo_until } : {}),
      }
    }),
  )
  const names = locations.map((location) => {
    const place = placeOf(location)
    const { id, name, geo } = location
    return { id, name, ...(place ? { place } : {}), ...(geo ? { geo } : {}) }
  })
  return {
    id: owner,
    person: owner,
    asOf: nowTimestamp(),
    visits,
    pickLists: pickLists.filter((list) => list !== undefined),
    machines: names,
  }
}

/** What is on the device, for the person who is signed in. */
export async function loadDay(): Promise<void> {
  const kept = await getRecord<Day>('day', person.peek())
  if (day.peek()?.person !== person.peek() || day.peek() === undefined) day.value = kept
}

/**
 * Visits of a run that is no longer open, which this phone sent today or still has to send: they stay in sight, with
 * their undo or their refusal. The last stop closes its run, and the service then lists it no longer.
 */
function visitsOfClosedRuns(known: Day | undefined, open: readonly DayVisit[]): readonly DayVisit[] {
  if (known?.person !== person.peek()) return []
  const openRuns = new Set(open.map(({ run }) => run))
  const shown = presses
    .peek()
    .filter((press) => press.kind === 'receive' && press.undone !== true)
    .filter(({ state, at }) => state !== 'sent' || at.slice(0, DATE_LENGTH) === today())
  const isShown = ({ run, location }: DayVisit) =>
    shown.some((press) => press.kind === 'receive' && press.run === run && press.location === location)
  return known.visits.filter((visit) => visit.run !== undefined && !openRuns.has(visit.run) && isShown(visit))
}

async function readAndKeep(): Promise<void> {
  const listed = await readDay()
  // Somebody else may have signed in meanwhile.
  if (listed.person !== person.peek()) return
  const read = { ...listed, visits: [...visitsOfClosedRuns(day.peek(), listed.visits), ...listed.visits] }
  await putRecord('day', read)
  day.value = read
}

let reading: Promise<void> | undefined
let next: Promise<void> | undefined

/**
 * Reads the day again and keeps it. One reading at a time: of two at once the older answer could come last and stay.
 * Whoever asks during a reading waits for the one after it, which sees what happened meanwhile.
 */
export function refreshDay(): Promise<void> {
  if (next) return next
  const readNow = (): Promise<void> => {
    next = undefined
    reading = readAndKeep().finally(() => (reading = undefined))
    return reading
  }
  if (!reading) return readNow()
  next = reading.then(readNow, readNow)
  return next
}

/** The slots of a machine that no run visits today; the last ones read where the line is down. */
export async function readMachine(location: string): Promise<readonly DaySlot[]> {
  const owner = person.peek()
  const id = `${owner} machine ${location}`
  try {
    const slots = await readSlots(location)
    // The session may have ended meanwhile.
    if (owner === person.peek()) await putRecord('day', { id, person: owner, slots } as { readonly id: string })
    return slots
  } catch (failure) {
    const kept = await getRecord<{ readonly slots: readonly DaySlot[] }>('day', id)
    if (kept) return kept.slots
    throw failure
  }
}
