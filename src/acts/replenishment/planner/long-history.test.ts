/** What was sold out, or closed, for longer than the window is not forgotten; what nothing is known of is filled modestly. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import type { MachineInput, SlotInput } from './input.ts'
import { type PlannedSlot, machineInput, slotInput } from './inputs.test-support.ts'
import { planRoute } from './plan.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const NOW = Date.parse('2026-03-18T10:30:00+08:00')
const MIDNIGHT = NOW - 10.5 * HOUR

/** Sales at a rate per day, spread evenly, from so many days ago until so many days ago. */
function soldAt(rate: number, fromDays: number, untilDays: number): { at: Float64Array } {
  const at: number[] = []
  for (let t = 0.5; t < rate * (fromDays - untilDays + 1); t++)
    at.push(MIDNIGHT - fromDays * DAY + (t / rate) * DAY * 0.999)
  return { at: Float64Array.from(at) }
}

const slot = (slotId: string, over: Partial<PlannedSlot> = {}): PlannedSlot =>
  slotInput(slotId, { stock: 0, capacity: 12, firstSeenAt: NOW - 300 * DAY, ...over })

const planOf = (slots: readonly SlotInput[], params: Partial<PlanParams> = {}, over: Partial<MachineInput> = {}) =>
  planRoute({
    now: NOW,
    params: { ...DEFAULT_PLAN_PARAMS, ...params },
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
    machines: [machineInput(slots, over)],
  })
const isDue = (plan: ReturnType<typeof planOf>) => plan.visits[0]!.visit.go
const ratesOf = (plan: ReturnType<typeof planOf>) => plan.plans.map(({ demand }) => demand.dailyRate)

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

const rate = fc.double({ min: 0.15, max: 6, noNaN: true })
const capacity = fc.constantFrom(null, 6, 8, 12, 20)
const slots = (of: fc.Arbitrary<number>) => fc.array(fc.record({ rate: of, capacity }), { minLength: 1, maxLength: 16 })

describe('2.8 what was sold out for longer than the window is not forgotten', () => {
  test('an empty machine that once sold stays due after 1 to 120 days', () => {
    fc.assert(
      fc.property(slots(rate), fc.constantFrom(1, 20, 22, 35, 45, 60, 120), (sold, days) => {
        const plan = planOf(
          sold.map((each, i) =>
            slot(`s${i}`, { capacity: each.capacity, sales: soldAt(each.rate, days + 30, days + 1) }),
          ),
        )
        assert.ok(isDue(plan), `not due after ${days} days`)
        for (const { demand, recommendation } of plan.plans) {
          assert.equal(recommendation.action, 'order')
          assert.equal(demand.availableDays + demand.emptyDays + demand.closedDays, 21)
        }
      }),
      { numRuns: propertyRuns(400) },
    )
  })

  test('best sellers gone, leftovers that nobody buys: the due visit is not taken back', () => {
    const best = fc.array(fc.double({ min: 1, max: 6, noNaN: true }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(best, fc.integer({ min: 1, max: 6 }), (rates, leftovers) => {
        const after = (days: number) =>
          isDue(
            planOf([
              ...rates.map((each, i) => slot(`s${i}`, { sales: soldAt(each, days + 30, days + 1) })),
              ...Array.from({ length: leftovers }, (_, i) => slot(`t${i}`, { stock: 4 })),
            ]),
          )
        const due = [3, 20, 22, 25, 30, 40, 50].map(after)
        assert.ok(!due.slice(due.indexOf(true)).includes(false), `taken back: ${due.join()}`)
        assert.ok(due.at(-1))
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('a best seller that was missing for 25 days keeps its rate', () => {
    const others = Array.from({ length: 8 }, (_, i) => slot(`o${i}`, { stock: 8, sales: soldAt(0.5 + i / 16, 60, 1) }))
    const plan = planOf([slot('best', { sales: soldAt(5, 60, 26) }), ...others])
    const [best] = plan.plans
    expect(best!.demand.dailyRate).toBeGreaterThan(3.5)
    expect(best!.demand.dailyRate).toBeLessThan(5.5)
    expect(best!.demand).toMatchObject({ availableDays: 0, emptyDays: 21, measured: false, earlierDays: 7 })
    expect(
      ratesOf(planOf([slot('best', { sales: soldAt(5, 60, 26) }), ...others], { look_back_days: 0 }))[0],
    ).toBeLessThan(1)
  })

  // The first slot sells every day: days and weekdays without any sale would be closed ones, on which no rate counts.
  test('after 30 closed days no rate is 0, and they are about those before', () => {
    fc.assert(
      fc.property(slots(fc.double({ min: 0.3, max: 6, noNaN: true })), (sold) => {
        const before = [2, ...sold.map((each) => each.rate)]
        const rates = ratesOf(
          planOf(before.map((each, i) => slot(`s${i}`, { stock: 10, sales: soldAt(each, 70, 31) }))),
        )
        for (const each of rates) assert.ok(each > 0)
        // Seven days hold the units of a rate rounded up or down: 2 to 3 of 0.3 a day.
        const share = sum(rates) / sum(before)
        assert.ok(share > 0.6 && share < 1.5, `${sum(rates)} instead of ${sum(before)}`)
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  test('a product that sold on three weekdays only keeps its rate on them after 30 closed days', () => {
    expect(ratesOf(planOf([slot('a', { stock: 10, sales: soldAt(3 / 7, 70, 31) })]))).toEqual([1])
  })

  test('a slot with enough days in stock is judged by the window alone', () => {
    const sales = { at: Float64Array.from([...soldAt(9, 60, 22).at, ...soldAt(1, 21, 12).at]) }
    const readings = [{ at: MIDNIGHT - 12 * DAY + 20 * HOUR, stock: 0 }]
    const rates = (look_back_days: number) => ratesOf(planOf([slot('a', { sales, readings })], { look_back_days }))
    expect(rates(180)).toEqual(rates(0))
  })

  test('days before the history that was handed over do not count as days without sales', () => {
    const sales = soldAt(2, 30, 25)
    const [known] = ratesOf(planOf([slot('a', { sales })], {}, { historyFrom: MIDNIGHT - 30 * DAY }))
    expect(known).toBeCloseTo(2, 0)
  })
})

describe('2.8 an unknown capacity', () => {
  test('is bounded by what was read, where refills were not entered', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            highest: fc.integer({ min: 6, max: 12 }),
            low: fc.integer({ min: 0, max: 3 }),
            stock: fc.integer({ min: 0, max: 5 }),
            rate: fc.double({ min: 0.5, max: 5, noNaN: true }),
          }),
          { minLength: 2, maxLength: 10 },
        ),
        (read) => {
          const plan = planOf(
            read.map(({ highest, low, stock, rate: each }, i) =>
              slot(`s${i}`, {
                capacity: null,
                stock,
                sales: soldAt(each, 35, 1),
                readings: [30, 26, 22, 18, 14, 10, 6, 2].map((days, k) => ({
                  at: NOW - days * DAY,
                  stock: k % 2 === 0 ? highest : low,
                })),
              }),
            ),
          )
          for (const [i, { recommendation, stock, basis }] of plan.plans.entries()) {
            const most = 2 * Math.max(read[i]!.highest, stock)
            assert.ok(stock + basis.unitsIfVisited <= most, `${stock} + ${basis.unitsIfVisited} above ${most}`)
            assert.ok((recommendation.quantity ?? 0) <= most)
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    )
  })

  test('of a new product is that of its neighbours, never the largest order', () => {
    const old = Array.from({ length: 6 }, (_, i) =>
      slot(`o${i}`, {
        capacity: null,
        stock: 2,
        sales: soldAt(2, 40, 1),
        readings: [{ at: NOW - 5 * DAY, stock: 8 + (i % 3) }],
      }),
    )
    const fresh = slot('x', { capacity: null, firstSeenAt: NOW - HOUR })
    const entry = planOf([...old, fresh]).plans.find(({ slotId }) => slotId === 'x')!
    expect(entry.basis.unitsIfVisited).toBeGreaterThan(2)
    expect(entry.basis.unitsIfVisited).toBeLessThanOrEqual(10)
  })
})

describe('2.8 the first machine of a new operator, empty and without history', () => {
  const fresh = (over: Partial<PlannedSlot> = {}) =>
    planOf([1, 2, 3, 4, 5, 6].map((k) => slot(`s${k}`, { firstSeenAt: NOW - HOUR, ...over })))
  const quantities = (plan: ReturnType<typeof planOf>) =>
    plan.plans.map(({ recommendation }) => recommendation.quantity)

  test.each([
    ['to a stated par', { par: 8 }, 8],
    ['to half of a known capacity', { capacity: 15 }, 8],
    ['to what neighbours hold', { capacity: null, neighbourLevel: 7 }, 7],
    ['with the smallest order where nothing is known', { capacity: null }, 3],
  ])('is visited and filled %s', (_, over, units) => {
    expect(isDue(fresh(over))).toBe(true)
    expect(quantities(fresh(over))).toEqual(Array(6).fill(units))
  })

  test('waits while most of its slots have stock', () => {
    const plan = planOf([1, 2, 3, 4].map((k) => slot(`s${k}`, { stock: k === 1 ? 0 : 9 })))
    expect(isDue(plan)).toBe(false)
    expect(plan.plans[0]!.basis.unitsIfVisited).toBe(6)
  })
})
