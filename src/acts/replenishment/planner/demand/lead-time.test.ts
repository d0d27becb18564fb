import { expect, test } from 'vitest'
import { DAY } from '../../../../kernel/clock.ts'
import { leadTime, reviewDays } from './lead-time.ts'

const NOW = 1_000 * DAY
const delivered = (daysAgo: number, took: number, quantity = 3) => ({
  status: 'delivered',
  placedAt: NOW - (daysAgo + took) * DAY,
  deliveredAt: NOW - daysAgo * DAY,
  lines: [{ slotId: 'a', quantity: 3 }],
  delivered: [{ slotId: 'a', quantity }],
})

test('2.8 a lead time is stated until five deliveries brought something', () => {
  const four = [1, 2, 3, 4].map((d) => delivered(d, 3))
  expect(leadTime(four, 2, NOW)).toEqual({ days: 2, source: 'stated', samples: 4 })
  expect(leadTime([...four, delivered(5, 3, 0)], 2, NOW)).toEqual({ days: 2, source: 'stated', samples: 4 })
  expect(leadTime([...four, delivered(5, 1)], 2, NOW)).toEqual({ days: 2.6, source: 'measured', samples: 5 })
})

test('2.8 only the last twenty deliveries are averaged, all are counted', () => {
  const runs = [
    ...Array.from({ length: 10 }, (_, i) => delivered(40 + i, 9)),
    ...Array.from({ length: 20 }, (_, i) => delivered(i, 1)),
  ]
  expect(leadTime(runs, 2, NOW)).toEqual({ days: 1, source: 'measured', samples: 30 })
})

test('2.8 deliveries with a negative duration, over 30 days, or after now are not samples', () => {
  const five = [1, 2, 3, 4, 5].map((d) => delivered(d, 2))
  const odd = [delivered(1, -1), delivered(1, 31), delivered(-1, 2), { ...delivered(1, 2), status: 'placed' }]
  expect(leadTime([...five, ...odd], 9, NOW)).toEqual({ days: 2, source: 'measured', samples: 5 })
})

test('2.8 the review interval is the median gap of the last six calls, one to seven days', () => {
  const calls = (...days: number[]) => reviewDays(days.map((d) => d * DAY))
  expect(calls()).toBe(1)
  expect(calls(5)).toBe(1)
  expect(calls(0, 7, 14, 21)).toBe(7)
  expect(calls(0, 30)).toBe(7)
  expect(calls(0, 0, 0, 0)).toBe(1)
  expect(calls(40, 1, 3, 5, 7, 9, 11)).toBe(2)
})
