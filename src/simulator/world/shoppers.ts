/**
 * Who comes in an hour, and what one of them does. A shopper is a moment and a number; everything they choose follows
 * from that number and from what the machine holds when they stand before it.
 */
import { HOUR, SECOND } from '../../kernel/clock.ts'
import type { Category } from './product-table.ts'
import { hourOfDay, weekday } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import { gamma, negativeBinomial, stream } from './random.ts'
import type { Random } from './random.ts'
import { share } from './venues.ts'

export interface Shopper {
  readonly at: number
  readonly nature: number
}

/** What stands before the shopper; the world keeps it up to date. */
export interface Lane {
  readonly good: number
  readonly category: Category
  readonly weight: number
  readonly referencePriceFen: number
  readonly priceFen: number
  readonly stock: number
}

/** The part of passers-by with a wish who buy at the reference price; the others give a cheaper price room to work. */
const BUYS_AT_REFERENCE = 0.6
const SUBSTITUTES = 0.35

/** Sales fall by about this many percent for a price one percent higher. */
export const ELASTICITY: Record<Category, number> = {
  水: 1.6,
  茶饮: 1.5,
  碳酸: 1.6,
  功能饮料: 1.1,
  咖啡: 1.2,
  果汁: 1.7,
  乳品: 1.5,
  零食: 1.8,
  糖巧: 1.8,
  方便食品: 1.4,
  日用: 0.7,
  烟草: 0.5,
}

/** The shoppers of one machine in one hour, in order, never two in the same second. */
export function shoppersIn(seed: number, machine: MachineSpec, day: number, hour: number): readonly Shopper[] {
  const part = share(machine.profile.venueType, weekday(day), hourOfDay(hour))
  if (part === 0) return []
  const mood = gamma(stream(seed, 'mood', machine.id, day), 20)
  const random = stream(seed, 'shoppers', machine.id, hour)
  const mean = (machine.shoppersPerDay / BUYS_AT_REFERENCE) * part * mood
  const seconds = new Set<number>()
  for (let left = Math.min(negativeBinomial(random, mean, 6), 3000); left > 0; left--) {
    let second = random.between(0, 3599)
    while (seconds.has(second)) second = (second + 1) % 3600
    seconds.add(second)
  }
  return [...seconds]
    .toSorted((a, b) => a - b)
    .map((second) => ({ at: hour * HOUR + second * SECOND, nature: Math.floor(random.next() * 2 ** 32) }))
}

/** Lanes the shopper takes one unit of, and how many wishes went unmet because a lane was empty. */
export function choose(
  random: Random,
  lanes: readonly Lane[],
): { readonly taken: readonly number[]; readonly lost: number } {
  const left = lanes.map((lane) => lane.stock)
  const taken: number[] = []
  let lost = 0
  for (let wishes = wishesOf(random); wishes > 0; wishes--) {
    const wish = drawLane(random, lanes, () => true)
    const lane = lanes[wish]
    if (!lane || !random.chance(willingness(lane))) continue
    const found = findInStock(random, lanes, left, lane, wish)
    if (found < 0) {
      lost++
      continue
    }
    left[found] = (left[found] ?? 0) - 1
    taken.push(found)
  }
  return { taken, lost }
}

/** The wished lane, else another lane of the same good, else perhaps something alike. */
function findInStock(
  random: Random,
  lanes: readonly Lane[],
  left: readonly number[],
  lane: Lane,
  wish: number,
): number {
  const has = (index: number) => (left[index] ?? 0) > 0
  if (has(wish)) return wish
  const twin = lanes.findIndex((other, i) => other.good === lane.good && has(i))
  if (twin >= 0 || !random.chance(SUBSTITUTES)) return twin
  return drawLane(random, lanes, (other, i) => has(i) && other.category === lane.category)
}

const wishesOf = (random: Random): number => {
  const roll = random.next()
  return roll < 0.86 ? 1 : roll < 0.97 ? 2 : 3
}

export const willingness = (lane: Pick<Lane, 'category' | 'priceFen' | 'referencePriceFen'>): number =>
  Math.min(1, BUYS_AT_REFERENCE * Math.pow(lane.priceFen / lane.referencePriceFen, -ELASTICITY[lane.category]))

function drawLane(random: Random, lanes: readonly Lane[], allowed: (lane: Lane, index: number) => boolean): number {
  let total = 0
  lanes.forEach((lane, i) => (total += allowed(lane, i) ? lane.weight : 0))
  if (total === 0) return -1
  let mark = random.next() * total
  let last = -1
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]
    if (!lane || !allowed(lane, i)) continue
    last = i
    mark -= lane.weight
    if (mark < 0) break
  }
  return last
}
