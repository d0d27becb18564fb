/** How near the rule comes to the best that can be earned when all demand is known in advance. */
import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import { machineInput, slotInput } from './inputs.test-support.ts'
import { solveExactly } from './optimum-solver.test-support.ts'
import { type ExactRoute, bestPlan, earnedOn, upperLimit } from './optimum.test-support.ts'
import { planRoute } from './plan.ts'

const MACHINES = 4
const SLOTS = 8
const DAYS = 28
const PRICE = 500
const MARGIN = 0.45 * PRICE
/** A Monday morning. */
const BEGINS = Date.parse('2026-03-16T06:00:00+08:00')

function random(seed: number): () => number {
  let a = seed + 1
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function poisson(next: () => number, mean: number): number {
  let count = 0
  for (let product = next(); product > Math.exp(-mean); product *= next()) count++
  return count
}

interface Instance extends ExactRoute {
  readonly rates: readonly (readonly number[])[]
}

function instance(seed: number, days: number, machines = MACHINES): Instance {
  const next = random(seed)
  const rates = Array.from({ length: machines }, () => {
    const busy = 0.4 + 1.2 * next()
    return Array.from({ length: SLOTS }, () => Math.max(0.2, busy * (0.3 + 1.4 * next())))
  })
  return {
    rates,
    days,
    tripFen: 12 * PRICE,
    stopFen: 3 * PRICE,
    machines: rates.map((own) =>
      own.map((rate) => {
        const capacity = 8 + Math.floor(8 * next())
        const initial = Math.floor(capacity * next())
        return {
          capacity,
          initial,
          marginFen: MARGIN,
          demand: Array.from({ length: days }, () => poisson(next, rate)),
        }
      }),
    ),
  }
}

/** Past sales at exactly the true rate, so that the planner knows it. */
function salesAt(rate: number, now: number) {
  const at: number[] = []
  for (let t = now - 30 * DAY; t < now; t += DAY / rate) at.push(Math.floor(t))
  return { at: Float64Array.from(at) }
}

/** Orders of a morning arrive the next morning. What was sold until the end is what counts, as for the limit. */
function playRule({ machines, rates, days, tripFen, stopFen }: Instance): number {
  const stock = machines.map((slots) => slots.map(({ initial }) => initial))
  let arriving = new Map<string, number>()
  let earned = 0
  for (let day = 0; day < days; day++) {
    const now = BEGINS + day * DAY
    const visited = new Set([...arriving.keys()].map((slotId) => slotId.split('-')[0]))
    earned -= (visited.size > 0 ? tripFen : 0) + visited.size * stopFen
    for (const [slotId, units] of arriving) {
      const [m = 0, k = 0] = slotId.slice(1).split('-').map(Number)
      stock[m]![k] = Math.min(machines[m]![k]!.capacity, stock[m]![k]! + units)
    }
    const { plans } = planRoute({
      now,
      // The rates are the true ones, so what is estimated to be missed is missed.
      params: { ...DEFAULT_PLAN_PARAMS, trip_cost: tripFen, stop_cost: stopFen, missed_share: 1 },
      leadTime: { days: 1, source: 'stated', samples: 0 },
      reviewDays: 1,
      machines: machines.map((slots, m) =>
        machineInput(
          slots.map(({ capacity }, k) =>
            slotInput(`m${m}-${k}`, {
              sku: `p${m}-${k}`,
              priceFen: PRICE,
              stock: stock[m]![k]!,
              capacity,
              firstSeenAt: now - 100 * DAY,
              sales: salesAt(rates[m]![k]!, now - HOUR),
            }),
          ),
          { location: `m${m}`, zone: { offsetMin: 480 } },
        ),
      ),
    })
    arriving = new Map(
      plans.flatMap(({ slotId, recommendation: { action, quantity = 0 } }) =>
        action === 'order' ? [[slotId, quantity] as const] : [],
      ),
    )
    machines.forEach((slots, m) =>
      slots.forEach(({ demand, marginFen }, k) => {
        const sold = Math.min(stock[m]![k]!, demand[day]!)
        stock[m]![k]! -= sold
        earned += sold * marginFen
      }),
    )
  }
  return earned
}

test('the solver finds the best plan, and the limit is never below it', () => {
  for (let seed = 0; seed < 6; seed++) {
    const route = instance(seed, 10, 3)
    const [best, limit] = [bestPlan(route), upperLimit(route)]
    expect(solveExactly(route).earnedFen, `seed ${seed}`).toBeCloseTo(best, 2)
    expect(limit, `seed ${seed}`).toBeGreaterThanOrEqual(best - 1e-6)
    expect(best / limit, `seed ${seed}`).toBeGreaterThan(0.97)
  }
})

test.each(Array.from({ length: 20 }, (_, seed) => seed))(
  'the rule with true rates reaches 85 %% of the best plan on four machines over four weeks, seed %i',
  (seed) => {
    const route = instance(seed, DAYS)
    const { earnedFen: best, tripDays } = solveExactly(route)
    const [rule, limit] = [playRule(route), upperLimit(route)]
    expect(earnedOn(route, tripDays) / best, `seed ${seed}: the solver's plan`).toBeCloseTo(1, 6)
    expect(limit / best, `seed ${seed}: the limit`).toBeGreaterThan(1 - 1e-6)
    expect(best / limit, `seed ${seed}: the best plan, of the limit`).toBeGreaterThan(0.99)
    expect(rule / best, `seed ${seed}: the rule`).toBeLessThan(1)
    // The limit is not below the best plan, so that this is the stronger demand.
    expect(rule / limit, `seed ${seed}: the rule, of the limit`).toBeGreaterThan(0.85)
    expect(rule / best, `seed ${seed}: the rule, of the best plan`).toBeGreaterThan(0.85)
  },
)
