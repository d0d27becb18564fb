/**
 * The simulated driver: drives to the machines of every run whose products have arrived, whoever placed it, takes out what
 * is too old, loads, and receives each stop. Knows of runs and purchases only what the API says.
 */
import type { ReplenishmentRun, RunLineItem } from '../../contract/shapes/run.ts'
import type { StopReceiveRequest } from '../../contract/shapes/service.ts'
import { DAY, HOUR, localDay, parseRfc3339, startOfDay } from '../../kernel/clock.ts'
import { parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { type RecordAction, refusalOf } from './actions.ts'
import { type Drop, driveTrips } from './road.ts'
import type { Simulation } from './simulation.ts'

/** A purchase that is still open after this long is not waited for: its products are received as zero units. */
const OPEN_PURCHASE_DAYS = 4
/** A long tour ends before the day does. */
const LAST_HOUR = 23

type RemovedLine = NonNullable<StopReceiveRequest['removed']>[number]
type ReturnedLine = NonNullable<StopReceiveRequest['returned']>[number]

interface RunDrop extends Drop {
  readonly run: string
  /** What was bought for the machine, and what was planned for it and not bought. */
  readonly lines: readonly RunLineItem[]
}

/** Puts the new products of approved swaps into a machine; returns what was taken out, by code. */
export type SwapAt = (location: string) => ReadonlyMap<string, number>

export function simulatedDriver(simulation: Simulation, record: RecordAction, swapAt: SwapAt = () => new Map()) {
  const { client, clock, simulator, timeZone } = simulation
  const { world } = simulator
  const machines = new Map(simulator.machines().map((machine) => [machine.id, machine]))
  /** Orders that have arrived, which never changes again. */
  const arrived = new Set<string>()
  const loadedUnits = new Map<string, number>()

  async function hasArrived(id: string): Promise<boolean> {
    if (arrived.has(id)) return true
    const { supplier_status: status } = await client.getOrder({ params: { id } })
    if (status?.mapped === 'ordered') return false
    arrived.add(id)
    return true
  }

  /** The lines of a run that were bought, and whether all of them have arrived. */
  async function findPurchase(run: ReplenishmentRun) {
    const lines = run.line_items.filter(({ status }) => status !== 'removed')
    const age = clock.now() - (parseRfc3339(run.placed_at ?? '') ?? 0)
    // Without a list of purchases the run was placed with the built-in simulated supplier, which delivers everything.
    if (!run.checkouts) return { lines, isHere: age >= simulation.statedLeadDays * DAY }
    const skus = new Set<string>()
    let isHere = true
    for (const { id, status } of run.checkouts) {
      if (status === 'canceled') continue
      if (status !== 'completed') {
        if (age < OPEN_PURCHASE_DAYS * DAY) isHere = false
        continue
      }
      if (!(await hasArrived(id))) isHere = false
      const { line_items } = await client.getCheckout({ params: { id } })
      for (const { item } of line_items) skus.add(item.id)
    }
    const isBrought = ({ source, from_storeroom: given = 0 }: RunLineItem) =>
      given > 0 || (source !== undefined && skus.has(source.sku_id))
    return { lines: lines.filter(isBrought), isHere }
  }

  /** Oldest first. */
  async function listPlacedRuns(): Promise<readonly ReplenishmentRun[]> {
    const runs = await Array.fromAsync(client.all.listRuns({ query: { status: 'placed' } }))
    return runs.toReversed()
  }

  /** The machines of a run; those for which nothing was bought are received at once, without a drive. */
  async function findDrops(run: ReplenishmentRun, bought: readonly RunLineItem[]): Promise<readonly RunDrop[]> {
    const linesAt = Map.groupBy(bought, ({ location }) => location)
    const drops: RunDrop[] = []
    for (const { location, status, sequence } of run.visits ?? []) {
      if (status !== 'open') continue
      const lines = linesAt.get(location)
      const machine = machines.get(location)
      if (!lines || !machine) {
        await receive({ run: run.id, location }, [], [])
        continue
      }
      const { city, address } = machine.profile
      const units = lines.reduce((total, { quantity }) => total + quantity.total, 0)
      drops.push({ run: run.id, location, lines, area: city, site: address, geo: machine.geo, sequence, units })
    }
    return drops
  }

  /** Drives today's trips with everything that has arrived. */
  async function loadArrived(): Promise<void> {
    const drops: RunDrop[] = []
    for (const run of await listPlacedRuns()) {
      const { lines, isHere } = await findPurchase(run)
      if (isHere) drops.push(...(await findDrops(run, lines)))
    }
    const leavesAt = clock.now()
    const latest = startOfDay(localDay(leavesAt, timeZone), timeZone) + LAST_HOUR * HOUR
    const trips = driveTrips(drops, leavesAt, simulation.driving)
    for (const { stops, meters, drivingFen } of trips) record({ kind: 'trip', at: leavesAt, stops, meters, drivingFen })
    const arrivals = trips.flatMap((trip) => trip.arrivals).toSorted((a, b) => a.at - b.at)
    for (const { at, drop } of arrivals) {
      simulation.travelTo(Math.min(at, latest))
      await loadMachine(drop as RunDrop)
    }
  }

  async function loadMachine(drop: RunDrop): Promise<void> {
    const { location, lines, units } = drop
    const slotOf = new Map(lines.map(({ item, slot_id }) => [productCode(item.id), slot_id]))
    const removed = world.removeExpired(location)
    const { changed, moved } = await followPickList(drop)
    const swapped = [...swapAt(location), ...changed.taken, ...moved].map(([goodsCode, quantity]) => ({
      goodsCode,
      quantity,
    }))
    const expired = removed.reduce((total, { quantity }) => total + quantity, 0)
    if (expired > 0) record({ kind: 'expired', at: clock.now(), units: expired })
    const brought = lines.map(({ item, quantity }) => ({ goodsCode: productCode(item.id), quantity: quantity.total }))
    let loadedHere = 0
    const delivered = world.deliver(location, brought).map(({ goodsCode, loaded }) => {
      addUnits(loadedUnits, goodsCode, loaded)
      loadedHere += loaded
      return { slot_id: slotOf.get(goodsCode) ?? '', quantity: loaded }
    })
    if (units > loadedHere) record({ kind: 'surplus', at: clock.now(), units: units - loadedHere })
    const takenOut = [...Map.groupBy(removed, ({ goodsCode }) => goodsCode)].map(([goodsCode, lanes]) => ({
      slot_id: `${location}-${goodsCode}`,
      quantity: lanes.reduce((total, { quantity }) => total + quantity, 0),
      reason: 'expired' as const,
    }))
    const { returned, unlinked } = await sortTakenBack(location, swapped)
    await receive(drop, delivered, [...takenOut, ...unlinked], returned, changed.lanes)
  }

  /** What the pick list asks for beside loading: lanes for other products, and units for other machines. */
  async function followPickList({ run, location }: RunDrop) {
    const { stops } = await client.getPickList({ params: { id: run }, query: { location } })
    const { lane_changes: changes = [], moves = [] } = stops.find((stop) => stop.location === location) ?? {}
    const taken = new Map<string, number>()
    for (const { now, proposed } of changes) {
      const [from, to] = [productCode(now.id), productCode(proposed.id)]
      // A product that is new here takes the place of another one; one that is here gets a lane more.
      const isHere = (world.lanes(location) ?? []).some(({ goodsCode }) => goodsCode === to)
      const units = world.swap(location, from, to, isHere ? 1 : undefined)
      if (units > 0) addUnits(taken, from, units)
      record({ kind: 'lane', at: clock.now() })
    }
    const moved = new Map<string, number>()
    for (const { item, quantity } of moves) {
      const goodsCode = productCode(item.id)
      const [out] = world.deliver(location, [{ goodsCode, quantity: -quantity }])
      const units = -(out?.loaded ?? 0)
      if (units <= 0) continue
      addUnits(moved, goodsCode, units)
      record({ kind: 'moved', at: clock.now(), units })
    }
    return { changed: { lanes: changes.map(({ lane }) => lane), taken }, moved }
  }

  /** The store room takes only what is linked to a product of a supplier; of several the driver takes the first. */
  async function sortTakenBack(location: string, taken: readonly { goodsCode: string; quantity: number }[]) {
    const returned: ReturnedLine[] = []
    const unlinked: RemovedLine[] = []
    for (const { goodsCode, quantity } of taken) {
      const line = { slot_id: `${location}-${goodsCode}`, quantity }
      const item = await findSupply(location, goodsCode)
      if (item === undefined) unlinked.push({ ...line, reason: 'other' })
      else returned.push({ ...line, item: { id: item } })
    }
    return { returned, unlinked }
  }

  async function findSupply(location: string, goodsCode: string): Promise<string | undefined> {
    const { defaults } = await client.listNamespaces()
    const { purchasable_from: sources = [] } = await client.getSku({
      params: { sku_id: `${defaults.machine}:${goodsCode}` },
      query: { location },
    })
    return sources[0]?.sku_id
  }

  async function receive(
    { run, location }: Pick<RunDrop, 'run' | 'location'>,
    delivered: readonly { readonly slot_id: string; readonly quantity: number }[],
    removed: readonly RemovedLine[],
    returned: readonly ReturnedLine[] = [],
    lanesChanged: readonly string[] = [],
  ): Promise<void> {
    try {
      const body = {
        delivered: [...delivered],
        removed: removed.length === 0 ? undefined : [...removed],
        returned: returned.length === 0 ? undefined : [...returned],
        lanes_changed: lanesChanged.length === 0 ? undefined : [...lanesChanged],
      }
      await client.receiveStop({ params: { id: run, location }, body })
    } catch (failure) {
      record({ kind: 'refused', at: clock.now(), about: `${run} ${location}`, ...refusalOf(failure) })
    }
  }

  /** Units that were bought and are neither in a machine nor in the store room yet, by product. */
  async function countUnderWay() {
    const units = new Map<string, number>()
    let leftOverFen = 0
    for (const run of await listPlacedRuns()) {
      const open = openStopsOf(run)
      // With the first stop the whole delivery came into the store room.
      if (open.size < (run.visits ?? []).length) continue
      for (const { item, quantity, location, from_storeroom: given = 0 } of (await findPurchase(run)).lines)
        if (open.has(location)) addUnits(units, productCode(item.id), quantity.total - given)
      leftOverFen += run.stays_in_storeroom?.amount ?? 0
    }
    return { units, leftOverFen }
  }

  /** Slots for which two runs are on their way at once: each would be paid for twice. */
  async function countOrderedTwice(): Promise<number> {
    const seen = new Set<string>()
    let twice = 0
    for (const run of await listPlacedRuns()) {
      const open = openStopsOf(run)
      for (const { slot_id } of (await findPurchase(run)).lines.filter(({ location }) => open.has(location))) {
        if (seen.has(slot_id)) twice += 1
        seen.add(slot_id)
      }
    }
    return twice
  }

  return { loadArrived, countUnderWay, countOrderedTwice, loadedUnits: loadedUnits as ReadonlyMap<string, number> }
}

const openStopsOf = ({ visits = [] }: ReplenishmentRun): ReadonlySet<string> =>
  new Set(visits.flatMap(({ location, status }) => (status === 'open' ? [location] : [])))

const addUnits = (units: Map<string, number>, code: string, count: number) =>
  void units.set(code, (units.get(code) ?? 0) + count)

function productCode(id: string): string {
  const sku = parseSkuId(id)
  return sku ? vendorSkuOf(sku) : id
}
