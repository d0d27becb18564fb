import { expect, test } from 'vitest'
import { lateWarnings, parseCutoff } from './cutoff.ts'

test.each([
  ['Tue 12:00', { weekday: 2, hour: 12, minute: 0 }],
  ['sunday 9:05', { weekday: 7, hour: 9, minute: 5 }],
  ['Thu 23:59', { weekday: 4, hour: 23, minute: 59 }],
  ['Tuesday 12:00', { weekday: 2, hour: 12, minute: 0 }],
  [' tue 12 ', { weekday: 2, hour: 12, minute: 0 }],
  ['Tuesday, 2 pm', { weekday: 2, hour: 14, minute: 0 }],
  ['wed 12 am', { weekday: 3, hour: 0, minute: 0 }],
  ['Fri 12:30pm', { weekday: 5, hour: 12, minute: 30 }],
  ['周二 12:00', { weekday: 2, hour: 12, minute: 0 }],
  ['星期天9点30分', { weekday: 7, hour: 9, minute: 30 }],
  ['礼拜五 12点', { weekday: 5, hour: 12, minute: 0 }],
  ['周二　１２：００', { weekday: 2, hour: 12, minute: 0 }],
  ['T 12:00', undefined],
  ['Tue 13 pm', undefined],
  ['Tue 12:0', undefined],
  ['Tue noon', undefined],
  ['周八 12:00', undefined],
  ['Tue 24:00', undefined],
  ['Tue', undefined],
  ['12:00', undefined],
  ['Today 12:00', undefined],
  ['Tuesdays 12:00', undefined],
])('the cut-off %s', (text, cutoff) => {
  expect(parseCutoff(text)).toEqual(cutoff)
})

const warnings = (local: string, leadDays?: number) =>
  lateWarnings(parseCutoff('Tue 12:00'), leadDays, {
    now: Temporal.ZonedDateTime.from(`${local}[America/Chicago]`).epochMilliseconds,
    timeZone: 'America/Chicago',
  })

test.each(['2026-11-10T11:59', '2026-11-10T12:00', '2026-11-09T09:00', '2026-11-07T12:00'])(
  'an order at %s is in time for Tuesday 12:00',
  (local) => {
    expect(warnings(local)).toEqual([])
  },
)

test.each(['2026-11-10T12:01', '2026-11-11T09:00', '2026-11-13T23:00'])('an order at %s has missed it', (local) => {
  expect(warnings(local, 2)).toEqual([
    'The cut-off of Tuesday 12:00 has passed: the order goes with the next one, on 2026-11-17, expected on 2026-11-19',
  ])
})

test('the hour is that of the clock on the wall, also in the week in which summer time ends', () => {
  expect(warnings('2026-10-28T12:00')).toEqual([
    'The cut-off of Tuesday 12:00 has passed: the order goes with the next one, on 2026-11-03',
  ])
})

test('without a cut-off no order is late', () => {
  expect(lateWarnings(undefined, 2, { now: 0, timeZone: 'UTC' })).toEqual([])
})
