import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromWallTime, SHANGHAI, toWallTime } from './wall-time.ts'

describe('wall time', () => {
  test('2.9 a Shanghai time becomes epoch milliseconds', () => {
    expect(fromWallTime('2026-09-10 14:03:22', SHANGHAI)).toBe(Date.parse('2026-09-10T06:03:22Z'))
  })

  test.each([
    '',
    '0000-00-00 00:00:00',
    '2026-13-01 00:00:00',
    '2026-02-30 00:00:00',
    '2026-09-10 24:00:00',
    '2026-09-10',
    '2026-09-10T14:03:22',
    '2026-9-1 1:1:1',
    null,
    undefined,
    1_789_000_000_000,
    {},
  ])('2.9 %j is null', (value) => {
    expect(fromWallTime(value, SHANGHAI)).toBeNull()
  })

  test('every whole second of this century comes back as it went', () => {
    const second = fc.integer({ min: 946_684_800, max: 4_102_444_800 }).map((s) => s * 1000)
    fc.assert(fc.property(second, (ms) => fromWallTime(toWallTime(ms, SHANGHAI), SHANGHAI) === ms))
  })

  test('what is finer than a second is cut off', () => {
    expect(toWallTime(Date.parse('2026-09-10T06:03:22.999Z'), SHANGHAI)).toBe('2026-09-10 14:03:22')
  })
})
