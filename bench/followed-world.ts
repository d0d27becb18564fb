/**
 * A simulated route, day by day, as somebody outside sees it: what each product of each machine sold, and whether it was in
 * stock. Machines are filled on the fixed days of a van, or only by `visit`.
 */
import { expiredAgeDays } from '../src/route/locations/service/expired-age.ts'
import type { MachineInput, Reading, Receipt, Removal, SlotInput } from '../src/acts/replenishment/planner/input.ts'
import type { Counts } from '../src/acts/trials/measure/effect.ts'
import type { RouteSlot } from '../src/acts/trials/route.ts'
import { DAY } from '../src/kernel/clock.ts'
import { fen } from '../src/kernel/fen.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../src/kernel/ids.ts'
import { isDispensed } from '../src/simulator/world/sales.ts'
import { createWorld } from '../src/simulator/world/world.ts'

const START = Date.parse('2026-03-02T00:00:00+08:00')
export const HISTORY_DAYS = 30
const RATE_DAYS = 28
/** Of a slot: more than a plan looks back for. */
const SALES_MAX = 2000
const READINGS_MAX = 250

/** One product of one machine. Days are numbered from the first of the history. */
interface Followed {
  readonly slot: Omit<RouteSlot, 'priceFen' | 'rate' | 'units' | 'days'>
  readonly goodsCode: string
  readonly sold: number[]
  readonly available: boolean[]
  readonly soldAt: number[]
  readonly loads: Receipt[]
  readonly removals: Removal[]
  readonly readings: Reading[]
  stock: number
  capacity: number
  priceFen: number
  isInTransit: boolean
}

/** What the driver brings into a slot; of units that were in another machine before: since when. */
export interface Brought {
  readonly slotId: string
  readonly units: number
  readonly since?: number
}

/** A drive to a machine and the work there. */
export const VISIT_FEN = 3000
/** Ten minutes of a driver: emptying and labelling a lane. */
export const WORK_FEN = 800

interface WorldSettings {
  readonly seed: number
  readonly machines: number
  readonly minds: number
  /** False: nobody comes but by `visit`. */
  readonly hasVan?: boolean
}

export function followWorld({ seed, machines, minds, hasVan = true }: WorldSettings) {
  const world = createWorld({
    seed,
    takeoverMs: START,
    historyDays: HISTORY_DAYS,
    machines,
    restocking: hasVan ? 'route' : 'none',
    mindsPrice: minds,
  })
  const followed = new Map<string, Followed>()
  /** Of each lane: a lane that gets another product counts on. */
  const dispensedBefore = new Map<string, number>()
  const result = { profitFen: 0, visits: 0, spoiled: 0, spoiledFen: 0, missed: 0 }
  /** By product: the shortest time after which units had expired. */
  const learned = new Map<string, number>()
  let seenSales = 0
  const startOf = (day: number) => START + (day - HISTORY_DAYS) * DAY

  /** Throws away what is too old, as every driver does, and learns from it how long the product keeps. */
  function removeExpired(location: string, isCounted: boolean): void {
    const at = world.now()
    for (const [goodsCode, lots] of Map.groupBy(world.removeExpired(location), (lot) => lot.goodsCode)) {
      const units = lots.reduce((total, { quantity }) => total + quantity, 0)
      const one = followed.get(`${location}-${goodsCode}`)
      if (!one) continue
      const age = expiredAgeDays(one.stock, units, one.loads.toReversed(), at)
      if (age !== undefined) learned.set(one.slot.sku, Math.min(age, learned.get(one.slot.sku) ?? Infinity))
      one.stock -= units
      one.removals.push({ at, units })
      one.readings.push({ at, stock: one.stock })
      if (!isCounted) continue
      result.spoiled += units
      result.spoiledFen += units * (one.slot.costFen ?? 0)
    }
  }

  /** Plays one day. */
  function play(day: number): void {
    const isCounted = day >= HISTORY_DAYS
    world.advanceTo(startOf(day + 1))
    for (const { location, visits, lost } of world.tally(startOf(day), startOf(day + 1) - 1)) {
      if (isCounted && hasVan) result.visits += visits
      if (isCounted) result.missed += lost
      if (visits > 0 && hasVan) removeExpired(location, isCounted)
    }
    const sales = world.allSales()
    for (; seenSales < sales.length; seenSales++) {
      const { at, machine, units } = sales[seenSales]!
      for (const { product, fate } of units)
        if (isDispensed(fate) && product.machine)
          followed.get(`${machine.id}-${product.machine.goodsCode}`)?.soldAt.push(at)
    }
    for (const { id, name, profile } of world.machines) {
      const all = (world.lanes(id) ?? []).map((lane, i) => {
        const key = `${id} ${i}`
        const sold = lane.dispensed - (dispensedBefore.get(key) ?? 0)
        dispensedBefore.set(key, lane.dispensed)
        return { ...lane, sold }
      })
      for (const [goodsCode, lanes] of Map.groupBy(all, (lane) => lane.goodsCode)) {
        const { product, priceFen } = lanes[0]!
        const slotId = `${id}-${goodsCode}`
        const stock = lanes.reduce((total, lane) => total + lane.stock, 0)
        const capacity = lanes.reduce((total, lane) => total + lane.capacity, 0)
        const sold = lanes.reduce((total, lane) => total + lane.sold, 0)
        const one = followed.getOrInsertComputed(slotId, () => ({
          slot: {
            location: id as LocationId,
            locationName: name,
            namespace: 'm' as Namespace,
            venueType: profile.venueType,
            slotId: slotId as SlotId,
            sku: `m:${goodsCode}` as SkuId,
            title: goodsCode,
            category: product.category,
            costFen: product.costFen,
            isFixed: false,
          },
          goodsCode,
          sold: [],
          available: [],
          soldAt: [],
          loads: [],
          removals: [],
          readings: [],
          stock,
          capacity,
          priceFen,
          isInTransit: false,
        }))
        one.available[day] = sold > 0 || (one.stock > 0 && stock > 0)
        one.sold[day] = sold
        if (isCounted) result.profitFen += sold * (priceFen - product.costFen)
        one.readings.push({ at: startOf(day + 1) - 1, stock })
        Object.assign(one, { stock, capacity, priceFen })
      }
    }
  }

  /** The days in stock, the last one left out. */
  function count(slotId: string, from: number, until: number): Counts {
    const one = followed.get(slotId)
    let [units, days, squares] = [0, 0, 0]
    for (let day = Math.max(0, from); one && day < until; day++) {
      if (!one.available[day]) continue
      const sold = one.sold[day] ?? 0
      units += sold
      days++
      squares += sold * sold
    }
    return { units, days, squares }
  }

  /** What a machine holds now. */
  const heldSlots = (id: string): Followed[] => {
    const codes = new Set((world.lanes(id) ?? []).map(({ goodsCode }) => goodsCode))
    return [...codes].flatMap((goodsCode) => followed.get(`${id}-${goodsCode}`) ?? [])
  }

  return {
    play,
    count,
    machines: world.machines.map(({ id }) => id),
    /** After the cost of its visits and of what was thrown away. */
    result: () => ({
      ...result,
      profitFen: result.profitFen - result.visits * VISIT_FEN - result.spoiledFen,
    }),
    learnedDays: (sku: string) => learned.get(sku),
    loads: (slotId: string) => followed.get(slotId)?.loads.toReversed() ?? [],
    now: () => world.now(),
    /** Some hours on, within a day. */
    advance: (ms: number) => world.advanceTo(world.now() + ms),
    costOf: (goodsCode: string) =>
      world.products.find((product) => product.machine?.goodsCode === goodsCode)?.costFen ?? 0,
    lanes: (location: string) => world.lanes(location) ?? [],
    setInTransit: (slotId: string, isInTransit: boolean) => {
      const one = followed.get(slotId)
      if (one) one.isInTransit = isInTransit
    },
    /** What a plan is made from; `shelfDays` where it is known. */
    planInput: (shelfDays: (sku: string) => number | undefined): MachineInput[] =>
      world.machines.map(({ id }) => ({
        location: id,
        zone: { timeZone: 'Asia/Shanghai' },
        ledgerFrom: null,
        slots: heldSlots(id).map((one): SlotInput => ({
          slotId: one.slot.slotId,
          sku: one.slot.sku,
          priceFen: one.priceFen,
          costFen: one.slot.costFen,
          stock: one.stock,
          capacity: one.capacity,
          locked: false,
          isInTransit: one.isInTransit,
          firstSeenAt: startOf(0),
          shelfDays: shelfDays(one.slot.sku),
          sales: { at: Float64Array.from(one.soldAt.slice(-SALES_MAX)) },
          receipts: one.loads,
          removals: one.removals,
          readings: one.readings.slice(-READINGS_MAX),
        })),
      })),
    /** A visit now: what is too old and `taken` goes out, `brought` goes in as far as it fits. Returns what was loaded. */
    visit(location: string, brought: readonly Brought[], taken: readonly Brought[] = []): readonly Brought[] {
      const at = world.now()
      result.visits += 1
      removeExpired(location, true)
      const booked = (one: Followed, units: number): void => {
        one.stock += units
        if (units > 0) one.loads.push({ at, units })
        else one.removals.push({ at, units: -units })
        one.readings.push({ at: at + 1, stock: one.stock })
      }
      const lineOf = ({ slotId, units, since }: Brought, sign: 1 | -1) => ({
        goodsCode: followed.get(slotId)!.goodsCode,
        quantity: sign * units,
        ...(since === undefined ? {} : { since }),
      })
      const all = [...taken.map((each) => lineOf(each, -1)), ...brought.map((each) => lineOf(each, 1))]
      return world.deliver(location, all).flatMap(({ goodsCode, loaded }, i) => {
        const one = followed.get(`${location}-${goodsCode}`)!
        one.isInTransit = false
        if (loaded !== 0) booked(one, loaded)
        return i < taken.length ? [] : [{ slotId: one.slot.slotId, units: loaded }]
      })
    },
    /** Gives one lane of a product to another one of the machine; what was in it is good and goes back. */
    changeLane(location: string, from: string, to: string): void {
      const before = followed.get(`${location}-${from}`)
      const units = world.swap(location, from, to, 1)
      if (!before) return
      before.stock -= units
      if (units > 0) before.removals.push({ at: world.now(), units })
      before.readings.push({ at: world.now() + 1, stock: before.stock })
    },
    /** What the machines hold now. */
    slots: (today: number): RouteSlot[] => {
      const held = new Set(
        world.machines.flatMap(({ id }) => (world.lanes(id) ?? []).map(({ goodsCode }) => `${id}-${goodsCode}`)),
      )
      return [...followed.values()].flatMap(({ slot, priceFen }) => {
        const { units, days } = count(slot.slotId, today - RATE_DAYS, today)
        const rate = (units + 0.5) / (days + 1)
        return held.has(slot.slotId) ? [{ ...slot, priceFen: fen(priceFen), units, days, rate }] : []
      })
    },
    setPrice: (slotId: string, amount: number): void => {
      const one = followed.get(slotId)!
      world.setPrices(one.slot.location, [{ goodsCode: one.goodsCode, salePrice: amount }])
      one.priceFen = amount
    },
    /** The driver changes what a slot holds; the van fills it on its next round. */
    swap: (location: string, from: string, to: string): void => {
      world.swap(location, from, to)
      const back = followed.get(`${location}-${to}`)
      if (back) back.stock = 0
    },
  }
}
