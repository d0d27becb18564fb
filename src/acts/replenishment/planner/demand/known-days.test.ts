/** Days that an operator knows about: closed ones, and ones with a multiple of the usual demand. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../../kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../../../kernel/plan-params.ts'
import { scorer, slotSalesHistories } from '../../forecasts/score.ts'
import { machineInput, slotInput, WORKED_PARAMS } from '../inputs.test-support.ts'
import { type KnownDays, factorOn, factorsOf } from './known-days.ts'
import { planRoute } from '../plan.ts'
import { planTrips } from '../trips/coming-trips.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const ZONE = { offsetMin: 480 }
const MIDNIGHT = Date.parse('2026-03-18T00:00:00+08:00')
const NOW = MIDNIGHT
const TODAY = Math.floor((NOW + 8 * HOUR) / DAY)
const days = (from: number, to: number, factor: number): KnownDays => ({ from: TODAY + from, to: TODAY + to, factor })

/** Noon sales of the last days, the day before today first. */
const soldPerDay = (units: readonly number[]) => ({
  at: Float64Array.from(
    units.flatMap((count, i) => Array.from({ length: count }, () => MIDNIGHT - (i + 1) * DAY + 12 * HOUR)),
  ).toSorted(),
})
const WINDOW = 21
const usual = (base: number) => Array.from({ length: WINDOW }, () => base)

function planWith(units: readonly number[], knownDays?: readonly KnownDays[], stock = 30) {
  const slot = slotInput('a', { stock, capacity: null, sales: soldPerDay(units) })
  return planRoute({
    now: NOW,
    params: { ...DEFAULT_PLAN_PARAMS, ...WORKED_PARAMS },
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
    machines: [machineInput([slot], { zone: ZONE, knownDays })],
  })
}
const entryWith = (...args: Parameters<typeof planWith>) => planWith(...args).plans[0]!

describe('2.8 days behind', () => {
  test('a closed day does not train the rate, whether or not something was sold on it', () => {
    const quiet = usual(2).fill(0, 0, 7)
    expect(entryWith(quiet).demand).toMatchObject({ closedDays: 0, dailyRate: expect.closeTo(1.333, 1) })
    const stated = [days(-7, -1, 0)]
    expect(entryWith(quiet, stated).demand).toMatchObject({ closedDays: 7, availableDays: 14, dailyRate: 2 })
    const odd = usual(2).fill(9, 0, 7)
    expect(entryWith(odd, stated).demand).toMatchObject({ closedDays: 7, availableDays: 14, dailyRate: 2 })
  })

  test('the sales of an exhibition are divided by its factor', () => {
    const busy = usual(2).fill(5, 0, 4)
    expect(entryWith(busy).demand.dailyRate).toBeGreaterThan(2.4)
    expect(entryWith(busy, [days(-4, -1, 2.5)]).demand).toMatchObject({ availableDays: 21, dailyRate: 2 })
  })

  test('for any factors: sales in proportion to them give the usual rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(0, 1, 2, 3, 5), { minLength: WINDOW, maxLength: WINDOW }),
        (base, factors) => {
          fc.pre(factors.some((factor) => factor > 0))
          const known = factors.map((factor, i) => days(-1 - i, -1 - i, factor))
          const { demand } = entryWith(
            factors.map((factor) => base * factor),
            known,
          )
          expect(demand.dailyRate).toBeCloseTo(base, 3)
          expect(demand.closedDays).toBe(factors.filter((factor) => factor === 0).length)
          expect(demand.availableDays + demand.emptyDays + demand.closedDays).toBe(WINDOW)
        },
      ),
      { numRuns: propertyRuns(200) },
    )
  })
})

describe('2.8 days ahead', () => {
  test('a closed day sells nothing: stock lasts that much longer', () => {
    expect(entryWith(usual(3)).daysOfCover).toBe(10)
    expect(entryWith(usual(3), [days(4, 6, 0)]).daysOfCover).toBe(13)
  })

  test('an exhibition needs more, and only while it lasts', () => {
    const week = entryWith(usual(1), undefined, 0).basis.target
    expect(entryWith(usual(1), [days(3, 6, 2.5)], 0).basis.target).toBeGreaterThan(week + 4)
    expect(entryWith(usual(1), [days(60, 90, 2.5)], 0).basis.target).toBe(week)
  })

  test('nobody drives to a machine that is closed when the order would arrive', () => {
    const { visits } = planWith(usual(3), [days(2, 2, 0)], 0)
    expect(visits[0]!.visit).toMatchObject({ go: false, why: 'closed' })
    expect(planWith(usual(3), undefined, 0).visits[0]!.visit.go).toBe(true)
  })

  test('the trips of days ahead look ahead from their own day', () => {
    const tripDaysWith = (knownDays?: readonly KnownDays[]) => {
      const plan = planWith(usual(3), knownDays, 30)
      const settings = {
        now: NOW,
        params: plan.params,
        leadTime: plan.leadTime,
        reviewDays: 1,
      }
      const steps = planTrips(settings, plan, 14)
      let step = steps.next()
      while (!step.done) step = steps.next()
      return step.value.trips.map(({ day }) => day)
    }
    const plain = tripDaysWith()[0]!
    expect(tripDaysWith([days(2, 9, 3)])[0]!).toBeLessThan(plain)
    expect(tripDaysWith([days(1, 4, 0)])[0]!).toBeGreaterThan(plain)
  })

  test('for any days: a higher factor never lowers a target, and a factor of one changes nothing', () => {
    const range = fc
      .tuple(fc.integer({ min: -25, max: 20 }), fc.nat(10), fc.constantFrom(0, 0.5, 1, 2, 4))
      .map(([from, length, factor]) => days(from, from + length, factor))
    const inputs = fc.record({
      units: fc.array(fc.nat(6), { minLength: WINDOW, maxLength: WINDOW }),
      known: fc.array(range, { maxLength: 4 }),
      from: fc.integer({ min: 0, max: 12 }),
      stock: fc.integer({ min: 0, max: 20 }),
    })
    fc.assert(
      fc.property(inputs, ({ units, known, from, stock }) => {
        const entry = entryWith(units, known, stock)
        expect(entryWith(units, known.toReversed(), stock)).toEqual(entry)
        expect(entryWith(units, [...known, days(-21, 60, 1)], stock).demand).toEqual(entry.demand)
        const more = entryWith(units, [...known, days(from, from + 3, 2)], stock)
        const less = entryWith(units, [...known, days(from, from + 3, 0)], stock)
        expect(more.demand).toEqual(entry.demand)
        expect(more.basis.target).toBeGreaterThanOrEqual(entry.basis.target)
        expect(less.basis.target).toBeLessThanOrEqual(entry.basis.target)
      }),
      { numRuns: propertyRuns(200) },
    )
  })
})

describe('4.7 the score', () => {
  const scoreWith = (units: readonly number[], knownDays?: readonly KnownDays[]) => {
    const machine = machineInput(
      [slotInput('a', { sales: soldPerDay([...units, ...usual(2)]), firstSeenAt: NOW - 90 * DAY })],
      {
        zone: ZONE,
        knownDays,
      },
    )
    const histories = slotSalesHistories(machine, NOW, 60, NOW)
    const score = scorer(7, NOW, (slotId) => histories.get(slotId))
    score.add({ slotId: 'a', madeAt: NOW - 7 * DAY, dailyRate: 2, naiveDailyRate: 2, measured: true })
    return score.result()
  }

  test('expects the factor of an event from our forecast, nothing on a closed day, and neither of the naive one', () => {
    const busy = [5, 5, 5, 5, 2, 2, 2]
    expect(scoreWith(busy).overall.mae).toBe(12)
    expect(scoreWith(busy, [days(-4, -1, 2.5)]).overall).toMatchObject({ mae: 0, relMae: 0 })
    const closed = [0, 0, 0, 2, 2, 2, 2]
    expect(scoreWith(closed, [days(-3, -1, 0)]).overall).toMatchObject({ mae: 0 })
    expect(scoreWith(closed).overall.mae).toBe(6)
  })
})

test('factors of overlapping ranges multiply; outside them every day is usual', () => {
  const known = [days(0, 5, 2), days(3, 8, 3), days(5, 5, 0)]
  expect([0, 3, 5, 8, 9].map((day) => factorOn(known, TODAY + day))).toEqual([2, 6, 0, 3, 1])
  expect(factorsOf(known, TODAY + 9, 5)).toBeUndefined()
  expect(factorsOf(undefined, TODAY, 5)).toBeUndefined()
})
