/**
 * One machine over time: shoppers, visits and deliveries in order. Machines are independent, so each can be advanced by
 * itself, in any number of steps.
 */
import { HOUR, DAY } from '../../kernel/clock.ts'
import { dayNumber, hourNumber } from './local-time.ts'
import type { MachineSpec, Offer, SlotSpec } from './machines.ts'
import { streamOf } from './random.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { type Restocking, adviceDueAt, loadQuantities, RESCUE_AFTER, roundTime, isOnRoute } from './restocking.ts'
import { type Shopper, choose, shoppersIn } from './shoppers.ts'
import { type Sale, isDispensed, makeSale } from './sales.ts'
import type { Category } from './product-table.ts'

/** Days after loading; categories that are not named keep longer than any unit stays in a machine. */
const SHELF_DAYS: Partial<Record<Category, number>> = { 乳品: 21, 果汁: 60, 方便食品: 120, 零食: 120 }

export interface Batch {
  readonly at: number
  units: number
}

/** Takes units, oldest first. */
function takeOldest(batches: Batch[], units: number): void {
  for (let left = units; left > 0 && batches[0];) {
    const taken = Math.min(left, batches[0].units)
    batches[0].units -= taken
    left -= taken
    if (batches[0].units === 0) batches.shift()
  }
}

/** Units that are past their time. */
function expiredUnits(batches: readonly Batch[], category: Category, now: number): number {
  const days = SHELF_DAYS[category]
  if (days === undefined) return 0
  return batches.reduce((total, { at, units }) => total + (now - at > days * DAY ? units : 0), 0)
}

export interface Load {
  readonly goodsCode: string
  readonly quantity: number
  /** Of units that were in another machine before: since when. */
  readonly since?: number
}

/** `loaded` fitted in; `surplus` did not, or had no lane. */
export interface Loaded extends Load {
  readonly loaded: number
  readonly surplus: number
}

/** One local day of a machine, in units; `lost` are those not sold because a lane was empty. */
export interface DayTally {
  sold: number
  lost: number
  revenueFen: number
  loaded: number
  visits: number
}

export interface SalePrice {
  readonly goodsCode: string
  readonly salePrice: number
}

interface DeviceOptions {
  readonly seed: number
  readonly startMs: number
  /** From here on `restocking` decides who fills the machine. */
  readonly takeoverMs: number
  readonly demoShoppersPerHour?: number | undefined
  readonly restocking: Restocking
  /** How much more shoppers mind prices than usual. */
  readonly mindsPrice?: number | undefined
}

/** Between 0, everybody buys something else when a product is not sold, and 1, nobody does. */
const COME_FOR_A_PRODUCT = 0.5

const KEPT_TALLIES = 400
const KEPT_ADVICE = 50

type LaneState = ReturnType<typeof laneOf>

/** The hours of `demoShoppersPerHour`, with the one of the takeover. */
const DEMO_HOURS = 3

export function createDevice(
  spec: MachineSpec,
  { seed, startMs, takeoverMs, restocking, demoShoppersPerHour = 0, mindsPrice = 1 }: DeviceOptions,
) {
  const firstDemoHour = hourNumber(takeoverMs)
  let machine = spec
  const drawShoppers = (day: number, hour: number) =>
    shoppersIn(
      seed,
      machine,
      day,
      hour,
      hour >= firstDemoHour && hour < firstDemoHour + DEMO_HOURS ? demoShoppersPerHour : 0,
    )
  const lanes = spec.slots.map((slot) => laneOf(slot, startMs, mindsPrice))
  const tallies = new Map<number, DayTally>()
  const advice = new BoundedMap<string, { readonly due: number; readonly lines: readonly Load[] }>(KEPT_ADVICE)
  let hour = hourNumber(startMs)
  let shoppers: readonly Shopper[] = drawShoppers(dayNumber(startMs), hour)
  let nextShopper = 0
  let today = roundsOf(dayNumber(startMs))
  let visited = -1
  let filledAt = startMs
  /** Nothing happens before this: advancing a thousand machines by a millisecond costs nothing. */
  let quietUntil = 0

  function roundsOf(day: number) {
    return { day, round: roundTime(seed, spec, day), onRoute: isOnRoute(seed, spec, day) }
  }

  const tally = (at: number): DayTally => {
    const day = dayNumber(at)
    let row = tallies.get(day)
    if (!row) {
      row = { sold: 0, lost: 0, revenueFen: 0, loaded: 0, visits: 0 }
      tallies.set(day, row)
      tallies.delete(day - KEPT_TALLIES)
    }
    return row
  }

  /** By product, also of those that a lane does not hold any more. */
  const loadedUnits = new Map<string, number>()
  const countLoaded = ({ goodsCode }: LaneState, units: number) =>
    loadedUnits.set(goodsCode, (loadedUnits.get(goodsCode) ?? 0) + units)

  const put = (lane: LaneState, quantity: number, at: number): number => {
    const fits = Math.max(0, Math.min(quantity, lane.capacity - lane.stock))
    countLoaded(lane, fits)
    if (fits > 0) lane.batches.push({ at, units: fits })
    lane.stock += fits
    lane.loaded += fits
    return fits
  }

  const takeOut = (lane: LaneState, quantity: number): number => {
    const taken = Math.min(quantity, lane.stock)
    lane.stock -= taken
    takeOldest(lane.batches, taken)
    lane.loaded -= taken
    countLoaded(lane, -taken)
    return taken
  }

  const serve = (shopper: Shopper, into: Sale[]) => {
    const random = streamOf(shopper.seed)
    const { taken, lost } = choose(random, lanes)
    const row = tally(shopper.at)
    row.lost += lost
    const chosen = taken.flatMap((index) => lanes[index] ?? [])
    if (chosen.length === 0) return
    const wanted = chosen.map((lane) => ({ product: lane.slot.product, priceFen: lane.priceFen }))
    const sale = makeSale(random, spec, shopper.at, wanted)
    sale.units.forEach((unit, i) => {
      const lane = chosen[i]
      if (!lane || !isDispensed(unit.fate)) return
      lane.stock--
      lane.dispensed++
      takeOldest(lane.batches, 1)
      row.sold++
      if (unit.fate !== 'returned') row.revenueFen += unit.priceFen
    })
    into.push(sale)
  }

  const visit = (at: number) => {
    const loads = loadQuantities(seed, spec, at, lanes)
    const row = tally(at)
    lanes.forEach((lane, i) => (row.loaded += put(lane, loads[i] ?? 0, at)))
    row.visits++
    filledAt = at
  }

  const deliver = (at: number, lines: readonly Load[]): readonly Loaded[] => {
    const row = tally(at)
    const result = lines.map(({ goodsCode, quantity, since = at }) => {
      let loaded = 0
      for (const lane of lanes)
        if (lane.goodsCode === goodsCode)
          loaded += quantity < 0 ? -takeOut(lane, loaded - quantity) : put(lane, quantity - loaded, since)
      row.loaded += loaded
      return { goodsCode, quantity, loaded, surplus: quantity - loaded }
    })
    row.visits++
    filledAt = at
    return result
  }

  /** When today's visit takes place; undefined when it is over or there is none. */
  const visitToday = (): number | undefined => {
    if (visited === today.day) return undefined
    if (today.round < takeoverMs || restocking === 'route') return today.onRoute ? today.round : undefined
    return restocking === 'rescue' && today.round - filledAt >= RESCUE_AFTER ? today.round : undefined
  }

  const nextAdvice = () => {
    let first: { batchNo: string; due: number } | undefined
    for (const [batchNo, { due }] of advice) if (!first || due < first.due) first = { batchNo, due }
    return first
  }

  /** Handles one event up to the instant; false when there is none left in this hour. */
  const step = (until: number, into: Sale[]): boolean => {
    const shopper = shoppers[nextShopper]
    const round = visitToday()
    const due = nextAdvice()
    const at = Math.min(shopper?.at ?? Infinity, round ?? Infinity, due?.due ?? Infinity)
    if (at > until) {
      quietUntil = at
      return false
    }
    if (round === at) {
      visited = today.day
      visit(at)
    } else if (due?.due === at) {
      deliver(at, advice.get(due.batchNo)?.lines ?? [])
      advice.delete(due.batchNo)
    } else if (shopper) {
      nextShopper++
      serve(shopper, into)
    }
    return true
  }

  return {
    /** Advances up to and including the instant; returns the sales made meanwhile. */
    advance(to: number): Sale[] {
      if (to < quietUntil) return []
      const sales: Sale[] = []
      for (;;) {
        const end = (hour + 1) * HOUR
        while (step(Math.min(to, end - 1), sales));
        if (to < end) {
          quietUntil = Math.min(quietUntil, end)
          return sales
        }
        hour++
        const day = dayNumber(hour * HOUR)
        if (day !== today.day) today = roundsOf(day)
        shoppers = drawShoppers(day, hour)
        nextShopper = 0
      }
    },
    /** The counts of each lane: stock is always initial + loaded − dispensed − removed. */
    lanes: () =>
      lanes.map(({ goodsCode, capacity, loaded, dispensed, removed, stock, priceFen, slot }) => {
        const initial = slot.initialStock
        const { product } = slot
        return { goodsCode, product, capacity, initial, loaded, dispensed, removed, stock, priceFen } as const
      }),
    loaded: (): ReadonlyMap<string, number> => loadedUnits,
    tallies: (): ReadonlyMap<number, Readonly<DayTally>> => tallies,
    /** Returns how many entries were for products of this machine. */
    setPrices(prices: readonly SalePrice[]): number {
      let count = 0
      for (const { goodsCode, salePrice } of prices) {
        const known = lanes.filter((lane) => lane.goodsCode === goodsCode)
        for (const lane of known) lane.priceFen = salePrice
        if (known.length > 0) count++
      }
      return count
    },
    deliver,
    /** Puts another product into so many lanes of one; returns the units that were taken out. */
    swap(goodsCode: string, offer: Offer, count = Infinity): number {
      const weightOf = (some: readonly LaneState[] = lanes) => some.reduce((total, { weight }) => total + weight, 0)
      const before = weightOf()
      const all = lanes.filter((lane) => lane.goodsCode === goodsCode)
      const wanted = weightOf(all)
      const own = all.slice(0, count)
      const taken = own.reduce((total, { stock }) => total + stock, 0)
      const sameProduct = lanes.filter(({ productIndex }) => productIndex === offer.product.index)
      for (const lane of own) {
        lane.removed += lane.stock
        const { product, weight, referencePriceFen } = offer
        const slot = { ...lane.slot, product, weight, referencePriceFen }
        const { loaded, dispensed, removed } = lane
        Object.assign(lane, laneOf(slot, startMs, mindsPrice), { loaded, dispensed, removed, stock: 0, batches: [] })
        if (sameProduct[0]) lane.priceFen = sameProduct[0].priceFen
      }
      // More lanes do not make a product more wanted.
      const share = (some: readonly LaneState[], weight: number) =>
        some.forEach((lane) => (lane.weight = weight / some.length))
      share(all.slice(own.length), wanted)
      share([...sameProduct, ...own], offer.weight)
      const shoppersPerDay = machine.shoppersPerDay * (weightOf() / before) ** COME_FOR_A_PRODUCT
      machine = { ...machine, shoppersPerDay }
      return taken
    },
    /** Takes out what is too old; one entry per lane that had any. */
    removeExpired(at: number): readonly Load[] {
      return lanes.flatMap((lane) => {
        const quantity = expiredUnits(lane.batches, lane.category, at)
        if (quantity === 0) return []
        takeOldest(lane.batches, quantity)
        lane.stock -= quantity
        lane.removed += quantity
        return [{ goodsCode: lane.goodsCode, quantity }]
      })
    },
    /** Replaces the advice of the same batch; returns how many entries were for products of this machine. */
    advise(at: number, batchNo: string, lines: readonly Load[]): number {
      const known = lines.filter(({ goodsCode }) => lanes.some((lane) => lane.goodsCode === goodsCode))
      if (restocking !== 'none') {
        quietUntil = 0
        advice.set(batchNo, { due: adviceDueAt(seed, spec, at, batchNo), lines: known })
      }
      return known.length
    },
  }
}

function laneOf(slot: SlotSpec, startMs: number, mindsPrice: number) {
  const listing = slot.product.machine
  if (!listing) throw new Error(`product ${slot.product.index} is not sold from machines`)
  return {
    slot,
    goodsCode: listing.goodsCode,
    productIndex: slot.product.index,
    category: slot.product.category,
    weight: slot.weight,
    mindsPrice: slot.product.mindsPrice * mindsPrice,
    referencePriceFen: slot.referencePriceFen,
    capacity: slot.capacity,
    priceFen: slot.referencePriceFen,
    stock: slot.initialStock,
    loaded: 0,
    dispensed: 0,
    /** Taken out because it was too old. */
    removed: 0,
    batches: [{ at: startMs, units: slot.initialStock }],
  }
}
