import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecimalSign, decimalOf, minorOf, minorOfNumber, minorOfPlain, numberOfMinor } from './minor-units.ts'
import { propertyRuns } from '../../test/support/property-runs.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const amount = fc.integer({ min: -LARGEST, max: LARGEST })
const digits = fc.integer({ min: 0, max: 4 })

/** As a spreadsheet writes it in any country. */
function written(n: number, places: number, decimal: DecimalSign, group: string): string {
  const [whole = '', fraction] = decimalOf(n, places).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, group)
  return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`
}

describe('minor units', () => {
  test.each<[string, number, DecimalSign, number | undefined]>([
    ['36', 2, '.', 3600],
    ['36.6', 2, '.', 3660],
    ['36.64', 2, '.', 3664],
    ['4.0000', 2, '.', 400],
    ['.95', 2, '.', 95],
    ['1,234.56', 2, '.', 123456],
    ['1.234,56', 2, ',', 123456],
    ['1 234,56', 2, ',', 123456],
    ['1\u202F234,56', 2, ',', 123456],
    ['1’234.50', 2, '.', 123450],
    ['12,345,678', 0, '.', 12345678],
    ['1.500', 3, '.', 1500],
    ['1500', 0, '.', 1500],
    ['1500.00', 0, '.', 1500],
    ['-5.5', 2, '.', -550],
    ['-0.00', 2, '.', 0],
    ['1.005', 2, '.', undefined],
    ['1500.5', 0, '.', undefined],
    ['1,23', 2, '.', undefined],
    ['1,2345', 2, '.', undefined],
    ['1234,567.00', 2, '.', undefined],
    ['1,234 567.00', 2, '.', undefined],
    ['1,234,56', 2, '.', undefined],
    ['1.234.56', 2, '.', undefined],
    ['90071992547409.91', 2, '.', LARGEST],
    ['90071992547409.92', 2, '.', undefined],
  ])('%s with %i digits and %s is %s', (text, places, decimal, expected) => {
    expect(minorOf(text, places, decimal)).toBe(expected)
  })

  test.each(['', ' ', '-', '.', '5.', '+5', '1e3', '0x10', '٣', '5 ', ' 5', '5\n', '--5', '$5', 'NaN', '1,', ',100'])(
    '%j is not an amount',
    (text) => {
      expect(minorOf(text, 2, '.')).toBeUndefined()
    },
  )

  test('every amount comes back as it was written, with every decimal and group sign', () => {
    const signs = fc.constantFrom<[DecimalSign, string]>(
      ['.', ''],
      ['.', ','],
      ['.', '’'],
      [',', '.'],
      [',', '\u00A0'],
      [',', ' '],
    )
    fc.assert(
      fc.property(amount, digits, signs, (n, places, [decimal, group]) => {
        expect(minorOf(written(n, places, decimal, group), places, decimal)).toBe(n)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('any text gives what exact arithmetic on its digits gives, or nothing', () => {
    const text = fc.stringMatching(/^-?[\d.,]{1,12}$/)
    fc.assert(
      fc.property(text, digits, (raw, places) => {
        const read = minorOf(raw, places, '.')
        fc.pre(read !== undefined)
        const [whole = '', fraction = ''] = raw.replaceAll(/[-,]/g, '').split('.')
        const exact = BigInt((whole || '0') + fraction.padEnd(places, '0').slice(0, places))
        expect(BigInt(Math.abs(read))).toBe(exact)
        expect(fraction.slice(places)).toMatch(/^0*$/)
      }),
      { numRuns: propertyRuns(1_000) },
    )
  })

  test('a digit beyond the currency that is not zero is refused, never rounded', () => {
    fc.assert(
      fc.property(fc.nat(99_999), digits, fc.stringMatching(/^0{0,3}[1-9]\d{0,3}$/), (whole, places, beyond) => {
        expect(minorOf(`${whole}.${'1'.repeat(places)}${beyond}`, places, '.')).toBeUndefined()
      }),
    )
  })
})

describe('JSON numbers', () => {
  test.each<[unknown, number, number | undefined]>([
    [1.5, 2, 150],
    [4, 2, 400],
    [0.29, 2, 29],
    [1.005, 2, undefined],
    [0.1 + 0.2, 2, undefined],
    [1e-7, 2, undefined],
    [1e21, 2, undefined],
    [-0, 2, 0],
    [9_999_999_999_999.99, 2, 999_999_999_999_999],
    [10_000_000_000_000, 2, undefined],
    [Number.NaN, 2, undefined],
    [Number.POSITIVE_INFINITY, 0, undefined],
    [1.79e308, 2, undefined],
    [90_071_992_547_409.92, 2, undefined],
    ['1.5', 2, undefined],
    [null, 2, undefined],
    [true, 2, undefined],
  ])('%s with %i digits is %s', (value, places, expected) => {
    expect(minorOfNumber(value, places)).toBe(expected)
  })

  test('an amount below 10^15 survives JSON as a number', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15 + 1, max: 1e15 - 1 }), digits, (n, places) => {
        const parsed: unknown = JSON.parse(decimalOf(n, places))
        expect(minorOfNumber(parsed as number, places)).toBe(n)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('are written as the shortest number of the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15 + 1, max: 1e15 - 1 }), digits, (n, places) => {
        const json = JSON.stringify(numberOfMinor(n, places))
        expect(minorOfNumber(JSON.parse(json), places)).toBe(n)
        expect(json.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(places)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('whatever number arrives, an amount is exactly what its digits say', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const amount = minorOfNumber(value, 2)
        if (amount === undefined) return
        expect(Number.isSafeInteger(amount)).toBe(true)
        expect(numberOfMinor(amount, 2)).toBe(value === 0 ? 0 : value)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

test.each([
  ['1.50', 150],
  ['1.5000', 150],
  ['-2', -200],
  ['1.505', undefined],
  ['1,50', undefined],
  ['1,234.50', undefined],
  ['', undefined],
  ['.5', undefined],
  ['1e3', undefined],
  ['$1', undefined],
])('a program that writes %j means %s', (text, expected) => {
  expect(minorOfPlain(text, 2)).toBe(expected)
})
