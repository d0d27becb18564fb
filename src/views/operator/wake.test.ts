import { expect, test } from 'vitest'
import type { StoredEvent } from '../../record/events/index.ts'
import { isWakeDue, nextWake, wakeOf } from './wake.ts'

const ZONE = 'Asia/Shanghai'
const at = (text: string) => Date.parse(`${text}+08:00`)
const DAILY = { wakeAt: ['06:00', '14:00'], weekdays: [1, 2, 3, 4, 5, 6, 7], pausedUntil: undefined }

// 2026-09-10 is a Thursday.
test.each([
  ['before', DAILY, '2026-09-10T05:00', '2026-09-10T06:00'],
  ['at the minute itself: the next', DAILY, '2026-09-10T06:00', '2026-09-10T14:00'],
  ['after the last', DAILY, '2026-09-10T20:00', '2026-09-11T06:00'],
  ['Mondays only', { ...DAILY, weekdays: [1] }, '2026-09-10T20:00', '2026-09-14T06:00'],
  ['a pause', { ...DAILY, pausedUntil: at('2026-09-12T07:00') }, '2026-09-10T20:00', '2026-09-12T14:00'],
])('the next wake-up, %s', (_what, settings, after, expected) => {
  expect(nextWake(settings, at(after), ZONE)).toBe(at(expected))
})

test('none without a time', () =>
  expect(nextWake({ ...DAILY, wakeAt: [] }, at('2026-09-10T05:00'), ZONE)).toBeUndefined())

test.each([
  ['passed since', DAILY, '2026-09-10T05:59', '2026-09-10T06:01', true],
  ['not yet', DAILY, '2026-09-10T06:01', '2026-09-10T13:59', false],
  ['after days of rest: once', DAILY, '2026-09-01T00:00', '2026-09-10T05:00', true],
  ['in a pause', { ...DAILY, pausedUntil: at('2026-09-11T00:00') }, '2026-09-10T05:00', '2026-09-10T07:00', false],
])('a wake-up is due, %s', (_what, settings, wokenAt, now, due) => {
  expect(isWakeDue(settings, at(wokenAt), at(now), ZONE)).toBe(due)
})

const event = (change: object): StoredEvent =>
  ({ source: 'service', by: undefined, params: undefined, code: 'decision_approved', ...change }) as StoredEvent

test.each([
  ['a decision', {}, 'event'],
  ['a delivery', { code: 'purchase_arrived' }, 'event'],
  ['a sale', { code: 'sale_recorded' }, undefined],
  ['its own act', { by: { name: 'vendops', role: 'operator' } }, undefined],
  ['what a caller wrote', { source: 'caller' }, undefined],
  ['its reminder', { code: 'reminder_due', params: { by: 'vendops' } }, 'reminder'],
  ['the reminder of another', { code: 'reminder_due', params: { by: 'agent' } }, undefined],
])('%s wakes it: %s', (_what, change, wake) => expect(wakeOf(event(change), 'vendops')).toBe(wake))
