import { expect, test } from 'vitest'
import type { StoredEvent } from '../../record/events/index.ts'
import { type Wake, type Watched, hasNews, isWakeDue, nextWake, triggerOf, wakeOf } from './wake.ts'

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
  ['a price list', { code: 'file_used' }, 'event'],
  ['a file that waits for the owner', { code: 'file_waiting' }, undefined],
  ['a sale', { code: 'sale_recorded' }, undefined],
  ['its own act', { by: { name: 'vendops', role: 'operator' } }, undefined],
  ['what a caller wrote', { source: 'caller' }, undefined],
  ['its reminder', { code: 'reminder_due', params: { by: 'vendops' } }, 'reminder'],
  ['the reminder of another', { code: 'reminder_due', params: { by: 'agent' } }, undefined],
])('%s wakes it: %s', (_what, change, wake) => expect(wakeOf(event(change), 'vendops')).toBe(wake))

const CALM: Watched = { silent: [], late: [], isBudgetUsed: false }

test.each<[string, Watched | undefined, Partial<Watched>, boolean]>([
  ['nothing', CALM, {}, false],
  ['at the first look', undefined, { silent: ['M1'], late: ['po_1'] }, false],
  ['a machine falls silent', CALM, { silent: ['M1'] }, true],
  ['it stays silent', { ...CALM, silent: ['M1'] }, { silent: ['M1'] }, false],
  ['it is back', { ...CALM, silent: ['M1'] }, {}, true],
  ['another one in its place', { ...CALM, silent: ['M1'] }, { silent: ['M2'] }, true],
  ['a delivery is late', CALM, { late: ['po_1'] }, true],
  ['it is late still', { ...CALM, late: ['po_1'] }, { late: ['po_1'] }, false],
  ['it arrived, which is an event', { ...CALM, late: ['po_1'] }, {}, false],
  ['the budget is used', CALM, { isBudgetUsed: true }, false],
  ['it is free again', { ...CALM, isBudgetUsed: true }, {}, true],
])('news: %s', (_what, before, now, expected) => expect(hasNews(before, { ...CALM, ...now })).toBe(expected))

const NOON = at('2026-09-10T12:00')
const MINUTES = 60_000
test.each<[string, Wake[], boolean, number, ReturnType<typeof triggerOf>]>([
  ['nothing', [undefined], false, 0, undefined],
  ['an event', ['event'], false, 0, 'event'],
  ['news', [], true, 0, 'event'],
  ['14 minutes after the last', ['event'], false, NOON - 14 * MINUTES, 'later'],
  ['news 14 minutes after the last', [], true, NOON - 14 * MINUTES, 'later'],
  ['15 minutes after the last', ['event'], true, NOON - 15 * MINUTES, 'event'],
  ['a reminder is not slowed', ['reminder'], false, NOON - MINUTES, 'reminder'],
  ['nor with an event beside it', ['event', 'reminder'], true, NOON - MINUTES, 'reminder'],
  ['the clock was set back', ['event'], false, NOON + MINUTES, 'event'],
])('a shift between wake-ups: %s', (_what, wakes, isNew, eventAt, trigger) =>
  expect(triggerOf({ wakes: new Set(wakes), hasNews: isNew, eventAt, now: NOON })).toBe(trigger),
)
