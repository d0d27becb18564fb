import { expect, test } from 'vitest'
import { type Language, explain as explainIn } from './explain.ts'
import type { PlanEntry } from './machine-plan.ts'
import { planRoute } from './plan.ts'
import { states } from './states.test-support.ts'
import { readState } from '../planner-cli/read-input.ts'
import fc from 'fast-check'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const explain = (entry: PlanEntry, language: Language) => explainIn(entry, language, 'CNY')

const visit = {
  go: true,
  rule: 'cycle',
  riskShare: 0.1,
  load: 19,
  lossByWaitingFen: 225,
  lossUntilNextTripFen: null,
  rhythmDays: 8,
  why: 'due',
  visitThresholdFen: 359.2,
} as const
const entry = (over: Partial<PlanEntry> = {}, basis: Partial<PlanEntry['basis']> = {}): PlanEntry => ({
  slotId: 'm-a',
  location: 'm',
  sku: 'a',
  stock: 3,
  demand: {
    dailyRate: 1.04,
    naiveDailyRate: 1,
    availableDays: 21,
    emptyDays: 0,
    closedDays: 0,
    measured: true,
    earlierDays: 0,
  },
  daysOfCover: 2.88,
  stockoutAt: 0,
  emptySince: null,
  recommendation: { action: 'order', quantity: 16 },
  basis: { atRisk: true, unitsIfVisited: 16, target: 19, room: 17, leadDays: 2, visit, ...basis },
  nextWeekDemand: 7.3,
  ...over,
})

test('amounts are in the currency of the deployment', () => {
  const watch = { recommendation: { action: 'watch' } } as const
  expect(explainIn(entry(watch), 'en', 'JPY')).toContain(
    'waiting costs JP¥225 of margin; a visit is worth it from JP¥359',
  )
})

test('2.8 an order says how fast the slot sells, how long stock lasts and how long delivery takes', () => {
  expect(explain(entry(), 'en')).toBe(
    'Order 16: the slot sells about 1 a day (21 days in stock); 3 in stock will last about 2.9 days, and delivery takes 2 days.',
  )
  expect(explain(entry(), 'zh')).toBe('补 16 件：每天约售 1 件（有货 21 天），库存 3 件，约可售 2.9 天，到货需 2 天。')
  const boxes = entry(
    { recommendation: { action: 'order', quantity: 12, boxes: { count: 2, contains: 6 } } },
    { atRisk: false },
  )
  expect(explain(boxes, 'en')).toMatch(/^Order 12 \(2 × 6\): .*; the machine is being visited anyway, so top it up\.$/)
  expect(explain(boxes, 'zh')).toMatch(/^补 12 件（2 箱 × 6）：.*本次上门顺带补满。$/)
})

test('2.8 a watched slot says what is missing for an order', () => {
  const watch = { recommendation: { action: 'watch' } } as const
  expect(explain(entry(watch), 'en')).toContain('waiting costs ¥2.25 of margin; a visit is worth it from ¥3.59')
  expect(explain(entry(watch), 'zh')).toContain('再等一期预计损失毛利 ¥2.25，达到 ¥3.59 才值得')
  const byShare = { visit: { ...visit, lossByWaitingFen: null, visitThresholdFen: null } }
  expect(explain(entry(watch, byShare), 'en')).toContain(
    "10% of the machine's sales are at risk, with 19 units to deliver",
  )
  expect(explain(entry(watch, { unitsIfVisited: 0, room: 2 }), 'en')).toContain(
    "there isn't room for the minimum order (room for 2)",
  )
  expect(explain(entry(watch, { unitsIfVisited: 0, room: 2 }), 'zh')).toContain('空位只有 2 件')
})

test('2.8 an inferred rate is marked as an estimate', () => {
  const inferred = entry({ stock: 0, daysOfCover: 0, demand: { ...entry().demand, availableDays: 0, measured: false } })
  expect(explain(inferred, 'en')).toContain('estimated from similar slots')
  expect(explain(inferred, 'zh')).toContain('参照同类货道估算')
})

test('2.8 a slot that sold for months and then was empty is not called one that never was in stock', () => {
  const demand = { ...entry().demand, availableDays: 0, measured: false, dailyRate: 4.6 }
  const gone = entry({ stock: 0, daysOfCover: 0, demand: { ...demand, earlierDays: 7 } })
  expect(explain(gone, 'en')).toBe(
    'Order 16: the slot sold about 4.6 a day when it was last in stock; it is empty, and delivery takes 2 days.',
  )
  expect(explain(gone, 'zh')).toBe('补 16 件：上次有货时每天约售 4.6 件，目前缺货，到货需 2 天。')
  for (const earlierDays of [0, 7])
    for (const dailyRate of [0, 4.6])
      for (const action of ['order', 'watch', 'none'] as const)
        expect(
          explain(entry({ demand: { ...demand, dailyRate, earlierDays }, recommendation: { action } }), 'en'),
        ).not.toContain('never')
})

test('2.8 every entry of every plan has one sentence in each language', () => {
  fc.assert(
    fc.property(states, (state) => {
      for (const each of planRoute(readState(state)).plans) {
        expect(explain(each, 'en')).toMatch(/^[A-Z][^\n]*[^.]\.$/)
        expect(explain(each, 'zh')).toMatch(/^[^\n]*。$/)
        expect(explain(each, 'en') + explain(each, 'zh')).not.toMatch(/NaN|undefined|null|Infinity/)
      }
    }),
    { numRuns: propertyRuns(200) },
  )
})
