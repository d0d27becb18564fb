import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOf, formatAmount } from './currency.ts'
import { decimalOf } from './minor-units.ts'
import { readTypedAmount } from './typed-amount.ts'
import { propertyRuns } from '../../test/support/property-runs.ts'

const CURRENCIES = ['CNY', 'USD', 'EUR', 'JPY', 'KRW', 'KWD', 'CHF', 'HUF']

describe('amounts typed by people', () => {
  test.each([
    ['4', 'USD', 400],
    ['4.5', 'USD', 450],
    ['4,5', 'USD', 450],
    ['4.50', 'USD', 450],
    ['4,50', 'USD', 450],
    ['.95', 'USD', 95],
    ['0.500', 'USD', 50],
    ['1234.500', 'USD', 123_450],
    ['1,234.56', 'USD', 123_456],
    ['1.234,56', 'USD', 123_456],
    ['1 234,56', 'EUR', 123_456],
    ["1'234.50", 'CHF', 123_450],
    ['1,234,567', 'USD', 123_456_700],
    ['1.234.567', 'EUR', 123_456_700],
    ['1.234.567,8', 'EUR', 123_456_780],
    ['$4.50', 'USD', 450],
    ['4,50 €', 'EUR', 450],
    ['EUR 4,50', 'EUR', 450],
    ['4.50usd', 'USD', 450],
    ['￥4', 'CNY', 400],
    ['¥4。5', 'CNY', 450],
    ['１２．５０', 'CNY', 1250],
    ['1500', 'JPY', 1500],
    ['1,500', 'JPY', 1500],
    ['1.500', 'JPY', 1500],
    ['¥1,500', 'JPY', 1500],
    ['1500.00', 'JPY', 1500],
    ['1.234', 'KWD', 1234],
    ['1,5', 'KWD', 1500],
    ['1,234.567', 'KWD', 1_234_567],
    ['0', 'USD', 0],
    ['0.50 $', 'USD', 50],
    ['50 cents', 'USD', 50],
    ['50 Cents', 'EUR', 50],
    ['125¢', 'USD', 125],
    ['50p', 'GBP', 50],
    ['5角', 'CNY', 50],
    ['8 分', 'CNY', 8],
    ['4.5元', 'CNY', 450],
  ])('%j in %s is %i', (text, currency, amount) => {
    expect(readTypedAmount(text, currency)).toEqual({ ok: true, amount })
  })

  test.each([
    ['1,234', 'USD', 'ambiguous'],
    ['1.234', 'USD', 'ambiguous'],
    ['1,234', 'KWD', 'ambiguous'],
    ['4.505', 'EUR', 'ambiguous'],
    ['4.5055', 'USD', 'too_many_digits'],
    ['0,505', 'USD', 'too_many_digits'],
    ['1,234.567', 'USD', 'too_many_digits'],
    ['4,5', 'JPY', 'too_many_digits'],
    ['1.2345', 'KWD', 'too_many_digits'],
    ['', 'USD', 'not_an_amount'],
    ['free', 'USD', 'not_an_amount'],
    ['1.5 cents', 'USD', 'not_an_amount'],
    ['50 cents', 'JPY', 'not_an_amount'],
    ['50 things', 'USD', 'not_an_amount'],
    ['-4', 'USD', 'not_an_amount'],
    ['$-4', 'USD', 'not_an_amount'],
    ['4.', 'USD', 'not_an_amount'],
    ['4..5', 'USD', 'not_an_amount'],
    ['4,5,6', 'USD', 'not_an_amount'],
    ['1,23,456', 'INR', 'not_an_amount'],
    ['1.234.56', 'EUR', 'not_an_amount'],
    ['1e3', 'USD', 'not_an_amount'],
    ['€4', 'USD', 'not_an_amount'],
    ['4 USD', 'EUR', 'not_an_amount'],
    ['USD', 'USD', 'not_an_amount'],
    ['90071992547409.92', 'USD', 'not_an_amount'],
  ])('%j in %s is refused: %s', (text, currency, problem) => {
    expect(readTypedAmount(text, currency)).toEqual({ ok: false, problem })
  })

  const amount = fc.nat(Number.MAX_SAFE_INTEGER)
  const currency = fc.constantFrom(...CURRENCIES)

  test('every amount that we write is read back as the same amount', () => {
    fc.assert(
      fc.property(amount, currency, (n, code) => {
        expect(readTypedAmount(formatAmount(n, code), code)).toEqual({ ok: true, amount: n })
        expect(readTypedAmount(decimalOf(n, digitsOf(code)), code)).toEqual({ ok: true, amount: n })
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('what is written with group signs is read back, or refused as ambiguous, but never read as another amount', () => {
    const signs = fc.constantFrom(['.', ','], [',', '.'], ['.', ' '], [',', ' '], ['.', '’'])
    fc.assert(
      fc.property(amount, currency, signs, (n, code, [decimal = '.', group = '']) => {
        const [whole = '', fraction] = decimalOf(n, digitsOf(code)).split('.')
        const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, group)
        const read = readTypedAmount(fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`, code)
        if (read.ok) expect(read.amount).toBe(n)
        else expect([read.problem, digitsOf(code)]).toEqual(['ambiguous', 3])
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('a sign changed for the other one never changes the amount a hundredfold', () => {
    fc.assert(
      fc.property(amount, currency, (n, code) => {
        const read = readTypedAmount(decimalOf(n, digitsOf(code)).replace('.', ','), code)
        if (read.ok) expect(read.amount).toBe(n)
        else expect(read.problem).toBe('ambiguous')
      }),
    )
  })
})
