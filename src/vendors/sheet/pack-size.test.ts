import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packCountOf, packSizeOf } from './pack-size.ts'

describe('pack text', () => {
  test.each([
    ['1000/CS', 1000],
    ['24 / CS', 24],
    ['5 /cs', 5],
    ['  12  /  CS ', 12],
    ['500/BL', 500],
    ['500 / BL', 500],
    ['10-15/CS', 150],
    ['10-100 / CS', 1000],
    ['36 - 90 / CS', 3240],
    ['4 GL / CS', 4],
    ['12 QT / CS', 12],
    ['12 x 16 oz jars per case', 12],
    ['6 x 7.5 oz cans per case', 6],
    ['36 bags per case', 36],
    ['24 bottles per case', 24],
    ['12 cans per case', 12],
  ])('%s holds %i', (text, size) => {
    expect(packSizeOf(text)).toBe(size)
  })

  test.each([
    '',
    'Box',
    'Tub',
    'CS',
    'EA',
    'RL',
    '6RL / CS',
    '96/RL / CS',
    '1 Bag',
    '1 unit',
    '20-24 bottles per case',
    '20 - 24 bags per case',
    '20-24 / BL',
    '18 - 8OZ / CS',
    '1.5-10 / CS',
    '24 / 7.2 oz cans',
    '12 / 32 oz bottles',
    '16 oz jar (12 per case)',
    '12 x 10-12 oz jars per case',
    '16 two-pack sticks per case',
    '12 packs of 7 one-ounce sticks',
    '1/2 gallon jar',
    '3-oz bag',
    '50 lb bag',
    '0/CS',
    '0-10 / CS',
    '999999999/CS',
    '1,000/CS',
    '-5/CS',
  ])('%j states no size', (text) => {
    expect(packSizeOf(text)).toBeUndefined()
  })

  test('a range of bottles or bags is never read as a size', () => {
    const word = fc.constantFrom('bottles', 'bags', 'cans', 'jars')
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), fc.constantFrom('-', ' - ', '–', ' to '), word, (from, to, sign, what) => {
        expect(packSizeOf(`${from}${sign}${to} ${what} per case`)).toBeUndefined()
      }),
    )
  })
})

test('a size column holds a count, or pack text', () => {
  const byPoint = (text: string) => packCountOf(text, '.')
  const byComma = (text: string) => packCountOf(text, ',')
  expect(['24', '7.0', ' 12 ', '8.00', '2,000', '10-10 / CS'].map(byPoint)).toEqual([24, 7, 12, 8, 2000, 100])
  expect(['24', '7,0', '8,00', '2.000', '2 000'].map(byComma)).toEqual([24, 7, 8, 2000, 2000])
  expect(['', '0', 'Box', 'FL-64132', '1e3', '200000'].map(byPoint)).toEqual(Array.from({ length: 6 }))
})

test('a size that may be another number is not read', () => {
  expect(['7.5', '-4', '8,00', '2.000', '2,0000', '1,2,3'].map((text) => packCountOf(text, '.'))).toEqual(
    Array.from({ length: 6 }, () => 'unreadable'),
  )
  expect(['24.0', '2,000', '2.00'].map((text) => packCountOf(text, ','))).toEqual(
    Array.from({ length: 3 }, () => 'unreadable'),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), (size) => {
      expect(packCountOf(size.toLocaleString('en-US'), '.')).toBe(size)
      expect(packCountOf(size.toLocaleString('de-DE'), ',')).toBe(size)
      const other = packCountOf(size.toLocaleString('de-DE'), '.')
      expect(size < 1_000 ? size : 'unreadable').toBe(other)
    }),
  )
})
