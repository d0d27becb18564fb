/**
 * The shoppers of an hour, and what each of them buys. A shopper is an instant and a seed; the choice follows from the
 * seed and from the machine's stock at that instant.
 */
import { HOUR, SECOND } from '../../kernel/clock.ts'
import type { Category } from './product-table.ts'
import { hourOfDay, weekday } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import { type Random, drawGamma, negativeBinomial, stream } from './random.ts'
import { shopperShare } from './venues.ts'

export interface Shopper {
  readonly at: number
  readonly seed: number
}

/** A lane as the shopper sees it; the device keeps it up to date. */
export interface Lane {
  readonly productIndex: number
  readonly category: Category
  readonly weight: number
  readonly referencePriceFen: number
  readonly priceFen: number
  readonly stock: number
  /** How much more customers mind the price than with an average product of its category. */
  readonly mindsPrice: number
}

/** Share of interested shoppers who buy at the reference price; the others may buy at a lower one. */
const BUYS_AT_REFERENCE = 0.6
const SUBSTITUTES = 0.35

/** The percentage by which sales fall when the price rises by one percent. */
const ELASTICITY: Record<Category, number> = {
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

/** The shoppers of one machine in one hour, in order of time, never two in the same second. */
export function shoppersIn(
  seed: number,
  machine: MachineSpec,
  day: number,
  hour: number,
  extraPerHour = 0,
): readonly Shopper[] {
  const hourShare = shopperShare(machine.profile.venueType, weekday(day), hourOfDay(hour))
  if (hourShare === 0 && extraPerHour === 0) return []
  const dayFactor = drawGamma(stream(seed, 'mood', machine.id, day), 20)
  const random = stream(seed, 'shoppers', machine.id, hour)
  const mean = (machine.shoppersPerDay / BUYS_AT_REFERENCE) * hourShare * dayFactor + extraPerHour
  const seconds = new Set<number>()
  for (let left = Math.min(negativeBinomial(random, mean, 6), 3000); left > 0; left--) {
    let second = random.between(0, 3599)
    while (seconds.has(second)) second = (second + 1) % 3600
    seconds.add(second)
  }
  return [...seconds]
    .toSorted((a, b) => a - b)
    .map((second) => ({ at: hour * HOUR + second * SECOND, seed: Math.floor(random.next() * 2 ** 32) }))
}

/** The lanes from which the shopper takes one unit each, and the number of units lost because a lane was empty. */
export function choose(
  random: Random,
  lanes: readonly Lane[],
): { readonly taken: readonly number[]; readonly lost: number } {
  const left = lanes.map((lane) => lane.stock)
  const taken: number[] = []
  let lost = 0
  for (let units = wantedUnits(random); units > 0; units--) {
    const wanted = drawLane(random, lanes, () => true)
    const lane = lanes[wanted]
    if (!lane || !random.happens(willingnessOf(lane))) continue
    const found = findInStock(random, lanes, left, lane, wanted)
    if (found < 0) {
      lost++
      continue
    }
    left[found] = (left[found] ?? 0) - 1
    taken.push(found)
  }
  return { taken, lost }
}

/** The wanted lane, else another lane with the same product, else sometimes a lane of the same category. */
function findInStock(
  random: Random,
  lanes: readonly Lane[],
  left: readonly number[],
  lane: Lane,
  wanted: number,
): number {
  const has = (index: number) => (left[index] ?? 0) > 0
  if (has(wanted)) return wanted
  const twin = lanes.findIndex((other, i) => other.productIndex === lane.productIndex && has(i))
  if (twin >= 0 || !random.happens(SUBSTITUTES)) return twin
  return drawLane(random, lanes, (other, i) => has(i) && other.category === lane.category)
}

const wantedUnits = (random: Random): number => {
  const roll = random.next()
  return roll < 0.86 ? 1 : roll < 0.97 ? 2 : 3
}

const willingnessOf = ({ category, priceFen, referencePriceFen, mindsPrice }: PricedLane): number =>
  Math.min(1, BUYS_AT_REFERENCE * Math.pow(priceFen / referencePriceFen, -ELASTICITY[category] * mindsPrice))

type PricedLane = Pick<Lane, 'category' | 'priceFen' | 'referencePriceFen' | 'mindsPrice'>

function drawLane(random: Random, lanes: readonly Lane[], allowed: (lane: Lane, index: number) => boolean): number {
  let total = 0
  lanes.forEach((lane, i) => (total += allowed(lane, i) ? lane.weight : 0))
  if (total === 0) return -1
  let position = random.next() * total
  let last = -1
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]
    if (!lane || !allowed(lane, i)) continue
    last = i
    position -= lane.weight
    if (position < 0) break
  }
  return last
}
