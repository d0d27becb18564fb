import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { type Forecast, scorer, slotSalesHistories, speedOf } from './score.ts'
import type { MachineInput } from '../planner/input.ts'
import { type PlannedSlot, machineInput as machine, slotInput } from '../planner/inputs.test-support.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const NOW = Date.parse('2026-03-18T00:00:00+08:00')
const daysAgo = (days: number) => NOW - days * DAY

/** Sells at noon, once on each of these days before now. */
const slot = (slotId: string, soldDaysAgo: readonly number[], over: Partial<PlannedSlot> = {}): PlannedSlot =>
  slotInput(slotId, {
    firstSeenAt: daysAgo(300),
    sales: { at: Float64Array.from(soldDaysAgo, (d) => daysAgo(d) + 12 * HOUR).toSorted() },
    ...over,
  })
const forecast = (slotId: string, madeDaysAgo: number, over: Partial<Forecast> = {}): Forecast => ({
  slotId,
  madeAt: daysAgo(madeDaysAgo),
  dailyRate: 1,
  naiveDailyRate: 0.5,
  measured: true,
  ...over,
})
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

function score(machines: readonly MachineInput[], forecasts: readonly Forecast[], horizonDays = 7) {
  const histories = new Map(machines.flatMap((m) => [...slotSalesHistories(m, NOW, 60, NOW)]))
  const scoring = scorer(horizonDays, NOW, (slotId) => histories.get(slotId))
  for (const each of forecasts) scoring.add(each)
  return scoring.result()
}

describe('4.7 the score', () => {
  test('with nothing scored is null, never zero', () => {
    const { overall, pending, totalForecasts, slots } = score([machine([slot('a', [])])], [forecast('a', 3)])
    expect({ pending, totalForecasts, slots }).toEqual({ pending: 1, totalForecasts: 1, slots: [] })
    expect(overall).toEqual({
      scored: 0,
      excluded: 0,
      partlyEmpty: 0,
      units: 0,
      mae: null,
      wape: null,
      bias: null,
      relMae: null,
      naiveWape: null,
      coverageP95: null,
      firstMadeAt: null,
      lastMadeAt: null,
    })
  })

  test('compares rate times available days with what was sold', () => {
    const result = score([machine([slot('a', range(7, 1))])], [forecast('a', 7, { dailyRate: 2 })])
    expect(result.overall).toMatchObject({
      scored: 1,
      units: 7,
      mae: 7,
      wape: 1,
      bias: 1,
      relMae: 2,
      naiveWape: 0.5,
      coverageP95: 1,
    })
    expect(result.slots).toEqual([
      {
        slotId: 'a',
        location: 'm',
        scored: 1,
        mae: 7,
        bias: 1,
        last: { madeAt: daysAgo(7), forecast: 14, actual: 7, availableDays: 7 },
      },
    ])
  })

  test('counts only days in stock, and marks the slot as partly empty', () => {
    const ranDry = slot('a', range(60, 5), { stock: 0 })
    const { overall, slots } = score([machine([ranDry])], [forecast('a', 7)])
    expect(slots[0]!.last).toMatchObject({ forecast: 3, actual: 3, availableDays: 3 })
    expect(overall).toMatchObject({ partlyEmpty: 1, bias: 0, mae: 0, relMae: 0 })
  })

  test('excludes a horizon spent empty, and a slot that is gone', () => {
    const bare = slot('a', [40], { stock: 0 })
    const result = score([machine([bare])], [forecast('a', 14), forecast('gone', 14)])
    expect(result).toMatchObject({ scored: 0, excluded: 2, pending: 0, totalForecasts: 2 })
    expect(result.byLocation['m']).toMatchObject({ excluded: 1, scored: 0, mae: null })
  })

  test('waits for a forecast that is too young or not covered by the ledger', () => {
    const covered = machine([slot('a', range(30, 1))], { ledgerFrom: daysAgo(10) })
    expect(score([covered], [forecast('a', 6), forecast('a', 7), forecast('a', 12)])).toMatchObject({
      scored: 1,
      pending: 2,
    })
    const histories = slotSalesHistories(machine([slot('a', [])]), NOW, 60, daysAgo(2))
    const behind = scorer(7, NOW, (id) => histories.get(id))
    behind.add(forecast('a', 8))
    behind.add(forecast('a', 9))
    expect(behind.result()).toMatchObject({ scored: 1, pending: 1 })
  })

  test('scores any horizon from the same forecasts', () => {
    const route = [machine([slot('a', range(30, 1))])]
    const forecasts = [forecast('a', 3), forecast('a', 20)]
    expect(score(route, forecasts, 1)).toMatchObject({ scored: 2, pending: 0, overall: { units: 2 } })
    expect(score(route, forecasts, 14)).toMatchObject({ scored: 1, pending: 1, overall: { units: 14 } })
  })

  test('reports by location, speed and provenance', () => {
    const other = machine([slot('b', range(30, 1))], { location: 'n' })
    const result = score(
      [machine([slot('a', range(30, 1))]), other],
      [forecast('a', 10), forecast('b', 10, { dailyRate: 0.1, measured: false }), forecast('b', 9, { dailyRate: 0.5 })],
    )
    expect(Object.entries(result.byLocation).map(([name, { scored }]) => [name, scored])).toEqual([
      ['m', 1],
      ['n', 2],
    ])
    expect([result.bySpeed.slow.scored, result.bySpeed.mid.scored, result.bySpeed.fast.scored]).toEqual([1, 1, 1])
    expect([result.byMeasured.measured.scored, result.byMeasured.inferred.scored]).toEqual([2, 1])
    expect([0.19, 0.2, 0.99, 1].map(speedOf)).toEqual(['slow', 'mid', 'mid', 'fast'])
    expect(result.overall).toMatchObject({ firstMadeAt: daysAgo(10), lastMadeAt: daysAgo(9) })
  })

  test('coverage counts how often demand stayed within the quantile', () => {
    const busy = slot(
      'a',
      range(7, 1).flatMap((d) => [d, d, d, d]),
      {},
    )
    expect(score([machine([busy])], [forecast('a', 7, { dailyRate: 4 })]).overall.coverageP95).toBe(1)
    expect(score([machine([busy])], [forecast('a', 7, { dailyRate: 0.5 })]).overall.coverageP95).toBe(0)
  })

  test('scored, pending and excluded are all there is, in whatever order forecasts come', () => {
    const any = fc.record({
      slotId: fc.constantFrom('a', 'b', 'gone'),
      daysAgo: fc.integer({ min: -2, max: 80 }),
      dailyRate: fc.double({ min: 0, max: 9, noNaN: true }),
      measured: fc.boolean(),
    })
    const route = [machine([slot('a', range(40, 1)), slot('b', [30, 29], { stock: 0 })])]
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), fc.integer({ min: 1, max: 28 }), (list, horizon) => {
        const forecasts = list.map(({ daysAgo, ...rest }) => forecast(rest.slotId, daysAgo, rest))
        const result = score(route, forecasts, horizon)
        expect(result.scored + result.pending + result.excluded).toBe(result.totalForecasts)
        expect(result.totalForecasts).toBe(forecasts.length)
        const { mae, ...sums } = score(route, forecasts.toReversed(), horizon).overall
        expect(sums.units).toBe(result.overall.units)
        if (mae !== null) expect(mae).toBeCloseTo(result.overall.mae!, 3)
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})
