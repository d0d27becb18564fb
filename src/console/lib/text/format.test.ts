import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  amountText,
  currencySign,
  dateTime,
  DAY,
  dayText,
  fromNow,
  HOUR,
  learnZone,
  MINUTE,
  money,
  nextDay,
  nowMs,
  rate,
  shortMoney,
  shortTime,
  startOfDay,
  totalOf,
} from './format.ts'
import { formatAmount, isCurrency } from '../../../kernel/currency.ts'
import { readTypedAmount } from '../../../kernel/typed-amount.ts'
import { preferredLanguage, setLanguage } from './i18n.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

test('rates of a column have a decimal each', () => {
  expect([1, 0.7, 12, 0.04, 1234].map(rate)).toEqual(['1.0', '0.7', '12.0', '0.04', '1,234.0'])
})

describe('amounts', () => {
  const inBoth = (amount: number, currency: string) =>
    (['en', 'zh'] as const).map((language) => {
      setLanguage(language)
      return money(amount, currency).replaceAll('\u00A0', ' ')
    })

  test('2.1 whole minor units are formatted with the digits and the sign of their currency', () => {
    expect([0, 5, 99, 100, 1234, 123456789].map((amount) => money(amount, 'CNY'))).toEqual([
      '¥0.00',
      '¥0.05',
      '¥0.99',
      '¥1.00',
      '¥12.34',
      '¥1,234,567.89',
    ])
    expect(money(-250, 'CNY')).toBe('−¥2.50')
    expect(['USD', 'EUR', 'JPY', 'KWD', 'HUF'].map((currency) => inBoth(1_234_567, currency))).toEqual([
      ['$12,345.67', '$12,345.67'],
      ['€12,345.67', '€12,345.67'],
      ['JP¥1,234,567', 'JP¥1,234,567'],
      ['KWD 1,234.567', 'KWD 1,234.567'],
      ['HUF 12,345.67', 'HUF 12,345.67'],
    ])
    expect(money(Number.MAX_SAFE_INTEGER, 'USD')).toBe('$90,071,992,547,409.91')
  })

  test('no two currencies look alike, and the service writes an amount as the console shows it', () => {
    const shown = Intl.supportedValuesOf('currency')
      .filter(isCurrency)
      .map((currency) => {
        const texts = new Set([...inBoth(1_234_567, currency), formatAmount(1_234_567, currency)])
        expect([...texts]).toHaveLength(1)
        return money(0, currency).replaceAll(/[\d.]/g, '')
      })
    expect(new Set(shown).size).toBe(shown.length)
  })

  test('an input has the sign of the currency, and the axis of a chart whole units', () => {
    expect(['CNY', 'USD', 'JPY', 'KWD'].map(currencySign)).toEqual(['¥', '$', 'JP¥', 'KWD'])
    expect([shortMoney(999_999, 'CNY'), shortMoney(1_234_567, 'CNY'), shortMoney(12_345, 'JPY')]).toEqual([
      '¥10,000',
      '¥12.3k',
      'JP¥12.3k',
    ])
  })

  test('2.1 a formatted amount is read back as the same amount, in both languages and every number of digits', () => {
    const currency = fc.constantFrom('CNY', 'USD', 'EUR', 'JPY', 'KWD')
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), currency, (amount, code) => {
        const texts = [amountText(amount, code), ...inBoth(amount, code)]
        expect(texts.map((text) => readTypedAmount(text, code))).toEqual(texts.map(() => ({ ok: true, amount })))
      }),
      { numRuns: propertyRuns(300) },
    )
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
      '3 h ago',
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
    expect(nextDay('2026-12-31')).toBe('2027-01-01')
  })
})

test('the first supported language of the browser is chosen', () => {
  expect(preferredLanguage(['zh-CN', 'en'])).toBe('zh')
  expect(preferredLanguage(['de', 'en-US', 'zh'])).toBe('en')
  expect(preferredLanguage(['fr'])).toBe('en')
})
