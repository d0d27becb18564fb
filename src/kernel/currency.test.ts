import { describe, expect, test } from 'vitest'
import { digitsOf, formatAmount, isCurrency } from './currency.ts'

describe('currencies', () => {
  test('have the digits of ISO 4217; Intl follows the shops in a few countries that dropped the small coins', () => {
    const differing = Intl.supportedValuesOf('currency').filter((currency) => {
      const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
      return isCurrency(currency) && maximumFractionDigits !== digitsOf(currency)
    })
    expect(differing.join(' ')).toBe('AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER')
    expect(['JPY', 'CNY', 'KWD', 'HUF'].map(digitsOf)).toEqual([0, 2, 3, 2])
  })

  test('of no country are refused', () => {
    expect(['XXX', 'XAU', 'cny', 'RMB', ''].map(isCurrency)).toEqual([false, false, false, false, false])
  })

  test.each([
    [0, 'CNY', '¥0.00'],
    [5, 'CNY', '¥0.05'],
    [123_456, 'CNY', '¥1,234.56'],
    [-7, 'CNY', '-¥0.07'],
    [123_456_789, 'USD', '$1,234,567.89'],
    [5, 'EUR', '€0.05'],
    [-250, 'GBP', '-£2.50'],
    [1500, 'JPY', 'JP¥1,500'],
    [12_345, 'KWD', 'KWD 12.345'],
    [0, 'CHF', 'CHF 0.00'],
  ])('%i of %s is %s', (amount, currency, text) => {
    expect(formatAmount(amount, currency)).toBe(text)
  })
})
