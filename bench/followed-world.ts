/** A simulated route, day by day, as somebody outside sees it: what each product of each machine sold, and whether it was in stock. */
import type { Counts } from '../src/acts/trials/measure/effect.ts'
import type { RouteSlot } from '../src/acts/trials/route.ts'
import { DAY } from '../src/kernel/clock.ts'
import { fen } from '../src/kernel/fen.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../src/kernel/ids.ts'
import { createWorld } from '../src/simulator/world/world.ts'

const START = Date.parse('2026-03-02T00:00:00+08:00')
export const HISTORY_DAYS = 30
const RATE_DAYS = 28

/** One product of one machine. Days are numbered from the first of the history. */
interface Followed {
  readonly slot: Omit<RouteSlot, 'priceFen' | 'rate' | 'units' | 'days'>
  readonly goodsCode: string
  readonly sold: number[]
  readonly available: boolean[]
  stock: number
  priceFen: number
}

export function followWorld({ seed, machines, minds }: { seed: number; machines: number; minds: number }) {
  const world = createWorld({
    seed,
    takeoverMs: START,
    historyDays: HISTORY_DAYS,
    machines,
    restocking: 'route',
    mindsPrice: minds,
  })
  const followed = new Map<string, Followed>()
  /** Of each lane: a lane that gets another product counts on. */
  const dispensedBefore = new Map<string, number>()
  let profitFen = 0

  /** Plays one day. A van fills the machines on fixed days. */
  function play(day: number): void {
    world.advanceTo(START + (day - HISTORY_DAYS + 1) * DAY)
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
          stock,
          priceFen,
        }))
        one.available[day] = sold > 0 || (one.stock > 0 && stock > 0)
        one.sold[day] = sold
        if (day >= HISTORY_DAYS) profitFen += sold * (priceFen - product.costFen)
        Object.assign(one, { stock, priceFen })
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

  return {
    play,
    count,
    profitFen: () => profitFen,
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
