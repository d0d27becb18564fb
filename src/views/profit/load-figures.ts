/** Loads the figures of a period by day, week, machine, product or slot. What belongs to none of these is under `OTHER`. */
import type { ProfitGrouping } from '../../contract/shapes/money/sales.ts'
import { DAY, localDay, startOfDay } from '../../kernel/clock.ts'
import { type LocationId, type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { chunk, yieldToEventLoop } from '../../lib/concurrency.ts'
import { placeOf } from '../../acts/replenishment/index.ts'
import { type LocationRecord, type Span, listLocations, listLosses, listVisits } from '../../route/locations/index.ts'
import {
  type Coverage,
  type DatedTerms,
  type LedgerMachineOf,
  type SalesFilter,
  type SalesGrouping,
  type SalesKey,
  listLedgerCoverage,
  listSellingMachines,
  listTerms,
  loadLedgerMachines,
  sumRefunds,
  sumSales,
} from '../../route/sales/index.ts'
import { listMovements } from '../../route/storeroom/index.ts'
import type { Context } from '../../context.ts'
import { FigureTable } from './figures.ts'
import { type Period, dayFinder, dayNumber, dayOfNumber, daysOf, slicesOf, weekOf } from './period.ts'
import { addRents, rentDays } from './rent.ts'
import { type Place, costVisits } from './visit-costs.ts'

export type ProfitDeps = Pick<Context, 'store' | 'clock' | 'config'>

/** No key of a day, machine, product or slot is empty. */
export const OTHER = ''

/** Days of one query: some ten thousand rows of a long route. */
const DAYS_AT_ONCE = 20
/** Machines of one query. */
const MACHINES_AT_ONCE = 200
/** Of one query where every slot is read. */
const SLOTS_OF_MACHINES_AT_ONCE = 10
const RENTS_AT_ONCE = 200

export interface Selection {
  readonly by: ProfitGrouping
  readonly location?: LocationId | undefined
  readonly product?: SkuId | undefined
}

/** What is known of the machines, for several periods. */
export interface Route {
  readonly now: number
  readonly roster: ReadonlyMap<string, LocationRecord>
  readonly zoneOf: (location: string) => string
  /** Of the machines of the roster. Made when first asked for: only visits need them. */
  readonly placesOf: () => ReadonlyMap<string, ZonedPlace>
  readonly terms: readonly DatedTerms[]
  readonly platforms: readonly string[]
  readonly coverage: readonly Coverage[]
}

export interface ZonedPlace extends Place {
  readonly zone: string
}

/** By machine or slot it is faster to take all days of some machines than some days of all. */
const isWholeRoute = ({ by, location, product }: Selection): boolean =>
  (by === 'slot' || by === 'location') && location === undefined && product === undefined

export async function loadRoute({ store, clock, config }: ProfitDeps): Promise<Route> {
  const roster = new Map((await listLocations(store.db)).map((machine) => [machine.id as string, machine]))
  await yieldToEventLoop()
  const zoneOf = zonesOf(roster, await loadLedgerMachines(store.db), config.timeZone)
  const coverage = await listLedgerCoverage(store.db)
  let places: ReadonlyMap<string, ZonedPlace> | undefined
  return {
    now: clock.now(),
    roster,
    zoneOf,
    placesOf: () => (places ??= zonedPlaces(roster, zoneOf)),
    terms: await listTerms(store.db),
    platforms: [...new Set([...roster.values(), ...coverage].map(({ namespace }) => namespace))],
    coverage,
  }
}

function zonesOf(roster: Route['roster'], machines: LedgerMachineOf, deploymentZone: string): Route['zoneOf'] {
  const zones = new Map([...roster].map(([id, machine]) => [id, machines(machine).timeZone ?? deploymentZone]))
  return (location) => zones.get(location) ?? deploymentZone
}

const zonedPlaces = (roster: Route['roster'], zoneOf: Route['zoneOf']): ReadonlyMap<string, ZonedPlace> =>
  new Map(
    [...roster.values()].map((machine) => {
      const place = placeOf(machine.id, { ...machine.profile, area: machine.area, geo: machine.geo })
      return [machine.id, { location: machine.id, ...place, zone: zoneOf(machine.id) }]
    }),
  )

/** How the keys of a table are made of what a figure belongs to. */
interface Keys {
  readonly day: (day: string) => string
  /** Two platforms may use the same id; a registered machine is that of its own platform. */
  readonly machine: (location: string, namespace: string) => string
  readonly product: (skuId: string) => string
  readonly slot: (location: string, skuId: string) => string
}

const slotKey = (location: string, skuId: string): string => `${location} ${skuId}`

/** A period has few days, and each of them many figures. */
function memoized(keyOf: (day: string) => string): (day: string) => string {
  const known = new Map<string, string>()
  return (day) => {
    let key = known.get(day)
    if (key === undefined) known.set(day, (key = keyOf(day)))
    return key
  }
}

/** `shiftDays`: a day of the period before is set beside the day that many days after it. */
function keysOf(by: ProfitGrouping, { roster }: Route, shiftDays: number): Keys {
  const isOwn = (location: string, namespace: string) => {
    const known = roster.get(location)
    return !known || known.namespace === namespace
  }
  const shifted = (day: string) => (shiftDays === 0 ? day : dayOfNumber(dayNumber(day) + shiftDays))
  return {
    day: by === 'day' ? memoized(shifted) : by === 'week' ? memoized((day) => weekOf(shifted(day))) : () => OTHER,
    machine: (location, namespace) => (by === 'location' && isOwn(location, namespace) ? location : OTHER),
    product: (skuId) => (by === 'product' ? skuId : OTHER),
    slot: (location, skuId) =>
      by === 'slot' && isOwn(location, namespaceOf(skuId as SkuId)) ? slotKey(location, skuId) : OTHER,
  }
}

const GROUPINGS: Readonly<Record<ProfitGrouping, SalesGrouping>> = {
  day: 'day',
  week: 'day',
  location: 'machine',
  product: 'product',
  slot: 'slot',
}

export async function loadFigures(
  ctx: ProfitDeps,
  route: Route,
  selection: Selection,
  period: Period,
  shiftDays = 0,
): Promise<FigureTable> {
  const table = new FigureTable()
  const keys = keysOf(selection.by, route, shiftDays)
  await addSales(ctx, table, route, selection, period, keys)
  await addLosses(ctx, table, route, selection, period, keys)
  // These belong to a machine and to no product of it.
  if (selection.product === undefined) {
    await addVisits(ctx, table, route, selection, period, keys)
    await addRent(table, route, selection, period, keys)
  }
  if (selection.location === undefined) await addStoreroomLosses(ctx, table, selection, period, keys)
  return table
}

/** The key of what was sold: its day, machine, product or slot. */
const saleKey = (by: ProfitGrouping, keys: Keys, row: SalesKey): string => {
  if (by === 'day' || by === 'week') return keys.day(row.day)
  if (by === 'location') return keys.machine(row.location, row.namespace)
  const skuId = `${row.namespace}:${row.vendorSku}`
  return by === 'product' ? keys.product(skuId) : keys.slot(row.location, skuId)
}

async function addSales(
  { store }: ProfitDeps,
  table: FigureTable,
  { roster, platforms }: Route,
  { by, location, product }: Selection,
  period: Period,
  keys: Keys,
): Promise<void> {
  const grouping = GROUPINGS[by]
  const namespace = location === undefined ? undefined : roster.get(location)?.namespace
  const namespaces = namespace === undefined ? undefined : [namespace]
  const add = async (filter: SalesFilter) => {
    for (const row of await sumSales(store.db, grouping, filter)) {
      const { units, revenue, cost, knownRevenue, commission } = row
      table.add(saleKey(by, keys, row), { units, revenue, cost, knownRevenue, commission })
    }
    await yieldToEventLoop()
  }
  const isByMachines = isWholeRoute({ by, location, product })
  if (isByMachines) {
    const { from, to } = period
    const machines = await listSellingMachines(store.db)
    for (const part of chunk(machines, by === 'slot' ? SLOTS_OF_MACHINES_AT_ONCE : MACHINES_AT_ONCE))
      await add({ from, to, locations: part, namespaces: platforms })
  }
  const locations = location === undefined ? undefined : [location]
  for (const slice of slicesOf(period, DAYS_AT_ONCE)) {
    const filter = { ...slice, locations, namespaces, product }
    if (!isByMachines) await add(filter)
    for (const row of await sumRefunds(store.db, grouping, filter))
      table.add(saleKey(by, keys, row), { refunds: row.refunds })
    await yieldToEventLoop()
  }
}

/** Instants that may be on one of these days, whatever the zone of the machine. */
const spanOf = ({ from, to }: Pick<Period, 'from' | 'to'>): Span => ({
  from: startOfDay(from, 'UTC') - DAY,
  to: startOfDay(to, 'UTC') + 2 * DAY,
})

const isWithin = (day: string, { from, to }: Pick<Period, 'from' | 'to'>): boolean => day >= from && day <= to

async function addLosses(
  { store }: ProfitDeps,
  table: FigureTable,
  { roster, zoneOf }: Route,
  { by, location, product }: Selection,
  period: Period,
  keys: Keys,
): Promise<void> {
  for (const slice of slicesOf(period, 2 * DAYS_AT_ONCE)) {
    for (const loss of await listLosses(store.db, spanOf(slice), location)) {
      const skuId = loss.skuId as SkuId
      if (product !== undefined && skuId !== product) continue
      const day = localDay(loss.at, zoneOf(loss.location))
      const namespace = namespaceOf(skuId)
      const row = { day, location: loss.location, namespace, vendorSku: vendorSkuOf(skuId) }
      const isOwn = location === undefined || (roster.get(location)?.namespace ?? namespace) === namespace
      if (isOwn && isWithin(day, slice)) table.add(saleKey(by, keys, row), { losses: loss.costFen })
    }
    await yieldToEventLoop()
  }
}

async function addVisits(
  { store, config: { planParams } }: ProfitDeps,
  table: FigureTable,
  { roster, placesOf, zoneOf }: Route,
  { by, location }: Selection,
  period: Period,
  keys: Keys,
): Promise<void> {
  const places = placesOf()
  const costs = {
    tripFen: planParams.trip_cost ?? 0,
    stopFen: planParams.stop_cost ?? planParams.visit_cost ?? 0,
  }
  // Only machines of the same area share a trip with this one. One that was removed since has none.
  const area = location === undefined ? undefined : places.get(location)?.area
  const mayShare =
    area === undefined || area === ''
      ? undefined
      : [...places].flatMap(([id, place]) => (place.area === area ? [id] : []))
  const removed = new Map<string, ZonedPlace>()
  const addRemoved = (id: string) => {
    const place = { location: id, ...placeOf(id, {}), zone: zoneOf(id) }
    removed.set(id, place)
    return place
  }
  const machineKeys = new Map<string, string>()
  const machineKeyOf = (id: string) => {
    let key = machineKeys.get(id)
    if (key === undefined) machineKeys.set(id, (key = keys.machine(id, roster.get(id)?.namespace ?? '')))
    return key
  }
  for (const slice of slicesOf(period, DAYS_AT_ONCE)) {
    const dayOf = dayFinder(slice)
    const visits: { readonly place: ZonedPlace; readonly day: string }[] = []
    for (const visit of await listVisits(store.db, spanOf(slice), mayShare)) {
      const place = places.get(visit.location) ?? removed.get(visit.location) ?? addRemoved(visit.location)
      const day = dayOf(visit.at, place.zone)
      if (day !== undefined) visits.push({ place, day })
    }
    for (const visited of costVisits(visits, costs)) {
      if (location !== undefined && visited.location !== location) continue
      const key = by === 'location' ? machineKeyOf(visited.location) : keys.day(visited.day)
      table.add(key, { visits: visited.visits, visitCost: visited.costFen })
    }
    await yieldToEventLoop()
  }
}

async function addRent(
  table: FigureTable,
  { now, roster, zoneOf, terms }: Route,
  { by, location }: Selection,
  period: Period,
  keys: Keys,
): Promise<void> {
  const days = rentDays(daysOf(period))
  const ofAll = days.map(() => 0)
  const machines = [...Map.groupBy(terms, (each) => `${each.namespace} ${each.location}`).values()]
  for (const part of chunk(machines, RENTS_AT_ONCE)) {
    for (const own of part) {
      const { location: id, namespace } = own[0]!
      if (location !== undefined && (id !== location || (roster.get(id)?.namespace ?? namespace) !== namespace))
        continue
      const rents = by === 'location' ? days.map(() => 0) : ofAll
      // What is not due yet is no cost of the past.
      addRents(rents, days, own, localDay(now, zoneOf(id)))
      if (by === 'location')
        table.add(keys.machine(id, namespace), { commission: rents.reduce((sum, rent) => sum + rent, 0) })
    }
    await yieldToEventLoop()
  }
  if (by !== 'location') days.forEach(({ day }, i) => table.add(keys.day(day), { commission: ofAll[i]! }))
}

/** Lost, damaged or expired in the store room. A loss whose cost nobody knows counts nothing. */
async function addStoreroomLosses(
  { store, config }: ProfitDeps,
  table: FigureTable,
  { product }: Selection,
  period: Period,
  keys: Keys,
): Promise<void> {
  const span = { from: startOfDay(period.from, config.timeZone), to: startOfDay(period.to, config.timeZone) + 2 * DAY }
  for (const { at, units, costFen } of await listMovements(store.db, { kind: 'lost', skuId: product, ...span })) {
    const day = localDay(at, config.timeZone)
    if (costFen !== null && isWithin(day, period)) table.add(keys.day(day), { losses: Math.sign(-units) * costFen })
  }
}
