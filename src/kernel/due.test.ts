import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from './clock.ts'
import { isDue } from './due.ts'

const NOW = Date.parse('2026-11-17T10:00:00Z')

test.each([
  ['its time has passed', NOW - 1, HOUR, true],
  ['its time is now', NOW, HOUR, true],
  ['it waits', NOW + 1, HOUR, false],
  ['it was set just now, to the longest wait', NOW + HOUR, HOUR, false],
  ['further ahead than any wait: the clock was set back', NOW + HOUR + 1, HOUR, true],
  ['it never waits, and the clock was set back by a minute', NOW + MINUTE, 0, true],
  ['the clock was set back by a day', NOW + DAY, HOUR, true],
  ['the clock was set forward by a day', NOW - DAY, HOUR, true],
])('%s', (_, dueAt, longestWaitMs, expected) => {
  expect(isDue(dueAt, NOW, longestWaitMs)).toBe(expected)
})

test('whatever the clock does, nothing waits longer than its longest wait after the last change of the clock', () => {
  for (const setBackMs of [0, 1, MINUTE, HOUR, DAY, 400 * DAY])
    for (const waitMs of [0, MINUTE, HOUR]) {
      const now = NOW - setBackMs
      expect(isDue(NOW + waitMs, now, HOUR) || isDue(NOW + waitMs, now + HOUR, HOUR), `${setBackMs} ${waitMs}`).toBe(
        true,
      )
    }
})
