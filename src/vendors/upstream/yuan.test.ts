import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalOf } from '../../kernel/minor-units.ts'
import { fenOfYuan } from './yuan.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

const LARGEST = Number.MAX_SAFE_INTEGER
const amount = fc.integer({ min: -LARGEST, max: LARGEST })
/** As an upstream writes it. */
const written = (n: number) => decimalOf(n, 2)

describe('yuan and fen', () => {
  test.each([
    ['36', 3600],
    ['36.0', 3600],
    ['36.00', 3600],
    ['36.000', 3600],
    ['3.1', 310],
    ['3.10', 310],
    ['0.29', 29],
    ['1.005000', undefined],
    ['0', 0],
    ['-0.00', 0],
    ['-5.5', -550],
    ['007.50', 750],
    ['90071992547409.91', LARGEST],
    ['90071992547409.92', undefined],
    ['99999999999999', undefined],
  ])('%s yuan is %s fen', (text, expected) => {
    expect(fenOfYuan(text)).toBe(expected)
  })

  test.each(['', ' ', '.5', '5.', '+5', '1,000', '1e3', '0x10', '٣', '5 ', ' 5', '5\n', '--5', '¥5', 'NaN', '3.141'])(
    '%j is not an amount',
    (text) => {
      expect(fenOfYuan(text)).toBeUndefined()
    },
  )

  test('every amount comes back as it went, digit for digit', () => {
    fc.assert(
      fc.property(amount, (n) => fenOfYuan(written(n)) === n),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('trailing zeros never change an amount; dropping them does not either', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 6 }), (n, zeros) => {
        const text = written(n)
        expect(fenOfYuan(text + '0'.repeat(zeros))).toBe(n)
        expect(fenOfYuan(text.replace(/\.?0*$/, ''))).toBe(n)
      }),
    )
  })

  test('what the parser reads is what exact arithmetic on the digits says', () => {
    const digits = fc.stringMatching(/^\d{1,12}$/)
    fc.assert(
      fc.property(digits, fc.stringMatching(/^\d{1,2}$/), (whole, cents) => {
        const exact = BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'))
        expect(BigInt(fenOfYuan(`${whole}.${cents}`) ?? -1)).toBe(exact)
      }),
    )
  })

  test('a third decimal that is not zero is refused, never rounded', () => {
    fc.assert(
      fc.property(fc.nat(99_999), fc.stringMatching(/^\d\d0*[1-9]\d{0,3}$/), (whole, decimals) => {
        fc.pre(decimals.length > 2)
        expect(fenOfYuan(`${whole}.${decimals}`)).toBeUndefined()
      }),
    )
  })
})
