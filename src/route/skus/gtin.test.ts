import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { barcodesOf, parseGtin } from './gtin.ts'

/** The check digit by the book: weights 3 and 1 from the right. */
function complete(digits: string): string {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 3 : 1), 0)
  return digits + String((10 - (sum % 10)) % 10)
}

const body = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${length}}$`)).filter((digits) => Number(digits) > 0)
const anyCode = fc.constantFrom(7, 11, 12, 13).chain(body).map(complete)

describe('2.4 an EAN is compared as a trade item number', () => {
  test.each([
    ['6921168509256', '06921168509256'],
    ['96385074', '00000096385074'],
    ['036000291452', '00036000291452'],
    ['0036000291452', '00036000291452'],
    ['10036000291459', '10036000291459'],
    [' 6921168509256 ', '06921168509256'],
  ])('%s is %s', (text, canonical) => expect(parseGtin(text)).toBe(canonical))

  test.each([
    undefined,
    '',
    '6921168509257',
    '692116850925',
    '6921168509256x',
    '٦٩٢١١٦٨٥٠٩٢٥٦',
    '123456789',
    '0000000000000',
    '00000000',
    'G-0001',
  ])('%s is none', (text) => expect(parseGtin(text)).toBeUndefined())

  test('a right check digit is taken, every other one is not', () => {
    fc.assert(
      fc.property(anyCode, fc.integer({ min: 1, max: 9 }), (code, shift) => {
        expect(parseGtin(code)).toHaveLength(14)
        const wrong = code.slice(0, -1) + String((Number(code.at(-1)) + shift) % 10)
        expect(parseGtin(wrong)).toBeUndefined()
      }),
    )
  })

  test('UPC-A and EAN-13 of one product are equal, and a case of it is not', () => {
    fc.assert(
      fc.property(body(11), (digits) => {
        const upc = complete(digits)
        expect(parseGtin(`0${upc}`)).toBe(parseGtin(upc))
        expect(parseGtin(complete(`10${digits}`))).not.toBe(parseGtin(upc))
      }),
    )
  })

  test('the wire names the symbology, and shows no code that names nothing', () => {
    expect(barcodesOf('6921168509256')).toEqual([{ type: 'EAN', value: '6921168509256' }])
    expect(barcodesOf('036000291452')).toEqual([{ type: 'UPC', value: '036000291452' }])
    expect(barcodesOf('6921168509257')).toEqual([])
    expect(barcodesOf(undefined)).toEqual([])
  })
})
