import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencySigns } from '../sheet/price-list/currency-signs.ts'
import { countOfText, isBlank, minorOfCell } from './amount.ts'
import { readSheetTime } from './local-time.ts'

describe('amounts in exports', () => {
  test.each([
    ['1.50', '.', 150],
    ['1.5', '.', 150],
    ['2', '.', 200],
    [' $1.50 ', '.', 150],
    ['1,234.50', '.', 123_450],
    ['1.500', '.', 150],
    ['1,50', ',', 150],
    ['€ 1.234,50', ',', 123_450],
    ['1,50 €', ',', 150],
    ['12,34', '.', undefined],
    ['1.505', '.', undefined],
    ['1.50', ',', undefined],
    ['1.2.3', '.', undefined],
    ['1,2345.00', '.', undefined],
    ['-1.50', '.', undefined],
    ['(1.50)', '.', undefined],
    ['1e3', '.', undefined],
    ['.5', '.', 50],
    ['5.', '.', undefined],
    ['9999999999999999', '.', undefined],
    ['', '.', undefined],
    ['abc', '.', undefined],
  ] as const)('%j with %j is %s', (text, decimal, expected) => {
    expect(minorOfCell(text, 2, decimal, decimal === ',' ? currencySigns('EUR') : currencySigns('USD'))).toBe(expected)
  })

  test('only the signs of our own currency may stand around an amount', () => {
    const dollars = ['$1.50', 'USD 1.50', '1.50 $', '€1.50', '1.50 €', '£ 1.50', 'EUR 1.50', '¥1.50']
    expect(dollars.map((text) => minorOfCell(text, 2, '.', currencySigns('USD')))).toEqual([
      150,
      150,
      150,
      ...Array.from({ length: 5 }, () => undefined),
    ])
    expect(['¥1.50', '￥1.50'].map((text) => minorOfCell(text, 2, '.', currencySigns('CNY')))).toEqual([150, 150])
  })

  test('digits are those of the currency', () => {
    expect([minorOfCell('150', 0), minorOfCell('150.00', 0), minorOfCell('1.5', 0), minorOfCell('1.5', 3)]).toEqual([
      150,
      150,
      undefined,
      1500,
    ])
  })

  test('what a spreadsheet writes is read back', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.constantFrom('en-US', 'de-DE'), (cents, locale) => {
        const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(cents / 100)
        expect(minorOfCell(text, 2, locale === 'de-DE' ? ',' : '.')).toBe(cents)
      }),
    )
  })

  test('counts are whole', () => {
    expect(['7', '7.0', '0', '7.5', '-1', 'x', '9999999999'].map((text) => countOfText(text))).toEqual([
      7,
      7,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a dash is an empty cell', () => {
    expect(['', '  ', '   -     ', '–', '0', 'a-b'].map(isBlank)).toEqual([true, true, true, true, false, false])
  })
})

describe('times in exports', () => {
  const chicago = { timeZone: 'America/Chicago' }

  test.each([
    ['2026-09-19 14:03:22', '20260919T140322', '2026-09-19T19:03:22Z'],
    ['2026-09-19T14:03:22.755', '20260919T140322', '2026-09-19T19:03:22Z'],
    ['2026/9/19 2:03:22 PM', '20260919T140322', '2026-09-19T19:03:22Z'],
    ['2026-09-19 14:03', '20260919T140300', '2026-09-19T19:03:00Z'],
    ['2026-09-19T14:03:22Z', '20260919T140322Z', '2026-09-19T14:03:22Z'],
    ['2026-09-19T14:03:22-05:00', '20260919T190322Z', '2026-09-19T19:03:22Z'],
    ['9/19/2026 2:03:22 PM', '20260919T140322', '2026-09-19T19:03:22Z', 'mdy'],
    ['9/19/2026 12:03 a.m.', '20260919T000300', '2026-09-19T05:03:00Z', 'mdy'],
    ['19.09.2026 14:03', '20260919T140300', '2026-09-19T19:03:00Z', 'dmy'],
    ['19.09.2026, 14:03:22', '20260919T140322', '2026-09-19T19:03:22Z', 'dmy'],
  ] as const)('%s', (text, stamp, utc, dateOrder?: 'mdy' | 'dmy') => {
    expect(readSheetTime(text, { ...chicago, dateOrder })).toEqual({ stamp, epochMs: Date.parse(utc) })
  })

  test.each(['9/19/2026 14:03', '2026-02-30 10:00', '2026-09-19 25:00', '2026-09-19 13:00 PM', '2026-09-19', 'x', ''])(
    '%j cannot be read without knowing more',
    (text) => {
      expect(readSheetTime(text, chicago)).toBeUndefined()
    },
  )

  test.each([
    ['2026-11-01 01:30', 'the hour that comes twice is the first one', '2026-11-01T06:30:00Z'],
    ['2026-11-01T01:30:00-06:00', 'an offset says that it is the second one', '2026-11-01T07:30:00Z'],
    ['2027-03-14 02:30', 'the hour that is left out is an hour later', '2027-03-14T08:30:00Z'],
  ])('%s: %s', (text, _, utc) => {
    expect(readSheetTime(text, chicago)?.epochMs).toBe(Date.parse(utc))
  })

  test('day and month are never guessed', () => {
    expect(readSheetTime('19/09/2026 14:03', { ...chicago, dateOrder: 'mdy' })).toBeUndefined()
  })
})
