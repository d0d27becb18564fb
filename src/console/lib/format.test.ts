import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dateTime,
  DAY,
  dayAgo,
  dayText,
  parseFen,
  fromNow,
  HOUR,
  learnZone,
  MINUTE,
  nextDay,
  nowMs,
  shortTime,
  startOfDay,
  totalOf,
  yuan,
  yuanText,
} from './format.ts'
import { preferredLanguage, setLanguage } from './i18n.ts'

describe('amounts', () => {
  test('2.1 whole fen are formatted as yuan with two decimals', () => {
    expect([0, 5, 99, 100, 1234, 123456789].map(yuan)).toEqual([
      '¥0.00',
      '¥0.05',
      '¥0.99',
      '¥1.00',
      '¥12.34',
      '¥1,234,567.89',
    ])
    expect(yuan(-250)).toBe('−¥2.50')
  })

  test('2.1 a formatted amount parses back to the same fen', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999_999 }),
        (fen) => parseFen(yuanText(fen)) === fen && parseFen(yuan(fen)) === fen,
      ),
    )
  })

  test('2.1 fractions of a fen and other text are not amounts', () => {
    for (const text of ['', 'abc', '1.234', '-1', '1.2.3', '1e3', '.5', 'NaN', '９'])
      expect(parseFen(text)).toBeUndefined()
    expect([parseFen('4'), parseFen(' 4.5 '), parseFen('¥4.50'), parseFen('1,234.50')]).toEqual([400, 450, 450, 123450])
  })

  test('2.6 the total of an order is its entry of type total', () => {
    expect(
      totalOf([
        { type: 'subtotal', amount: 5 },
        { type: 'total', amount: 7 },
      ]),
    ).toBe(7)
  })
})

describe('times', () => {
  test('2.1 a timestamp is shown in the local time of its own offset, not of the browser', () => {
    setLanguage('en')
    expect(dateTime('2026-09-10T23:30:00+08:00')).toMatch(/10 Sept? 2026.*23:30/)
    expect(dateTime('2026-09-10T23:30:00-05:00')).toMatch(/10 Sept? 2026.*23:30/)
    expect(shortTime('2001-01-02T03:04:00Z')).toMatch(/2 Jan 2001.*03:04/)
  })

  test('times are formatted in each language', () => {
    const ago = (ms: number) => new Date(nowMs() - ms).toISOString()
    setLanguage('zh')
    expect([dateTime('2026-09-10T08:05:00+08:00'), dayText('2026-12-01')]).toEqual(['2026年9月10日 08:05', '12月1日'])
    expect([ago(5 * MINUTE), ago(-2 * DAY)].map(fromNow)).toEqual(['5 分钟前', '2 天后'])
    setLanguage('en')
    expect([dateTime('2026-09-10T08:05:00+08:00'), dayText('2026-12-01')]).toEqual(['10 Sept 2026, 08:05', '1 Dec'])
    expect([ago(0), ago(5 * MINUTE), ago(3 * HOUR), ago(DAY), ago(-2 * DAY)].map(fromNow)).toEqual([
      'just now',
      '5 min ago',
      '3 hr ago',
      '1 day ago',
      'in 2 days',
    ])
  })

  test('days are calendar days of the operator', () => {
    learnZone('2026-09-10T00:00:00+08:00')
    expect(startOfDay('2026-09-10')).toBe('2026-09-10T00:00:00+08:00')
    learnZone('2026-09-10T00:00:00-03:30')
    expect(startOfDay('2026-09-10')).toBe('2026-09-10T00:00:00-03:30')
    expect(nextDay('2026-02-28')).toBe('2026-03-01')
    expect(nextDay(dayAgo(1))).toBe(dayAgo(0))
  })
})

test('the first supported language of the browser is chosen', () => {
  expect(preferredLanguage(['zh-CN', 'en'])).toBe('zh')
  expect(preferredLanguage(['de', 'en-US', 'zh'])).toBe('en')
  expect(preferredLanguage(['fr'])).toBe('en')
})
