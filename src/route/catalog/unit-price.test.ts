import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import { sizeOf, unitPriceOf } from './unit-price.ts'

const read = (title: string, spec?: string, packSize = 1) => {
  const size = sizeOf([title, spec], packSize)
  return size && `${size.value} ${size.unit}`
}

describe('2.4 unit_price: where title and spec are unambiguous', () => {
  test.each([
    ['农夫山泉 饮用天然水 550ml', undefined, 24, '550 MLT'],
    ['Cola 0.5L', undefined, 1, '500 MLT'],
    ['Cola 0.33 L', undefined, 1, '330 MLT'],
    ['Milk 1l', undefined, 12, '1000 MLT'],
    ['士力架 51g', undefined, 24, '51 GRM'],
    ['Rice 1.25 kg', undefined, 1, '1250 GRM'],
    ['牛奶 250毫升', undefined, 1, '250 MLT'],
    ['大米 5公斤', undefined, 1, '5000 GRM'],
    ['薯片 40克', undefined, 1, '40 GRM'],
    ['Beer 6×330ml', undefined, 4, '1980 MLT'],
    ['Beer 6x330ml', undefined, 4, '1980 MLT'],
    ['Beer 6 * 0.33L', undefined, 1, '1980 MLT'],
    ['ＣＯＬＡ ３３０ｍｌ', undefined, 1, '330 MLT'],
    ['Water', '550ml', 24, '550 MLT'],
    ['Water 550ml', '550ml/瓶', 24, '550 MLT'],
    ['Water 550ml', '550ml*24瓶/箱', 24, '550 MLT'],
    ['Water 0.55L', '24瓶/箱', 24, '550 MLT'],
  ])('%s, %s, box of %i: %s', (title, spec, packSize, size) => expect(read(title, spec, packSize)).toBe(size))

  test.each<[title: string, spec: string | undefined, packSize: number, why: string]>([
    ['Water', undefined, 24, 'no size'],
    ['Water 550ml', '500ml', 24, 'two sizes'],
    ['Juice 330ml 35g', undefined, 1, 'a volume and a weight'],
    ['Water 550ml*24', undefined, 24, 'one bottle or the box'],
    ['Water 550ml*24', undefined, 1, 'one bottle or the box'],
    ['Beer 6x330ml', undefined, 6, 'one can of the box, or boxes of six-packs'],
    ['Water 550ml', '550ml*24', 1, 'the bottle by its title, the box by its spec'],
    ['Gum 27g 10片', undefined, 12, 'pieces of 27 g, or 27 g in pieces'],
    ['Crisps 40g 3包', undefined, 12, 'one bag or three'],
    ['Tea 500ml+50ml', undefined, 1, 'a sum'],
    ['Tea 500ml+500ml', undefined, 1, 'a sum'],
    ['Tea 500-550ml', undefined, 1, 'a range'],
    ['Tea 500ml~550ml', undefined, 1, 'a range'],
    ['Ham 约500g', undefined, 1, 'about'],
    ['Ham 500g±10g', undefined, 1, 'a tolerance'],
    ['买一赠一 500ml', undefined, 1, 'a gift'],
    ['Card 5G', undefined, 1, 'a network'],
    ['Pills 500mg', undefined, 1, 'milligrams'],
    ['Energy 45kcal/100ml', undefined, 1, 'a fraction'],
    ['Wine 1,5L', undefined, 1, 'a decimal comma'],
    ['Wine 1,000ml', undefined, 1, 'a thousands comma'],
    ['Model A500l', undefined, 1, 'a code'],
    ['Saffron 2.5g', undefined, 1, 'less than ten grams'],
    ['Sweets 12.5g', undefined, 1, 'no whole number of grams'],
    ['Tank 40000l', undefined, 1, 'more than anyone carries'],
    ['Beer 4x6x330ml', undefined, 1, 'two counts'],
  ])('%s, %s, box of %i: none (%s)', (title, spec, packSize) => expect(read(title, spec, packSize)).toBeUndefined())

  test('property: a plain size is read as written, whatever the unit and blanks', () => {
    const unit = fc.constantFrom(
      ['ml', 1, 'MLT'] as const,
      ['L', 1000, 'MLT'] as const,
      ['g', 1, 'GRM'] as const,
      ['KG', 1000, 'GRM'] as const,
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 25_000 }),
        unit,
        fc.constantFrom('', ' '),
        (value, [name, factor, code], gap) => {
          expect(read(`Water ${value / factor}${gap}${name}`)).toBe(`${value} ${code}`)
        },
      ),
    )
  })

  test('property: any text gives a whole size in bounds, or none', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.constantFrom('ml', 'L', 'g', 'kg', 'x', '*', '×', ' ', '.', ',', '24', '6', '330', '瓶', '/'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 48 }), (pieces, packSize) => {
        const size = sizeOf([pieces.join('')], packSize)
        if (size) expect(Number.isInteger(size.value) && size.value >= 10 && size.value <= 25_000).toBe(true)
      }),
    )
  })
})

test('2.4 the amount is price / measure × reference, rounded once to whole fen', () => {
  expect(unitPriceOf(fen(120), 'CNY', { unit: 'MLT', value: 550 })).toEqual({
    amount: 22,
    currency: 'CNY',
    measure: { value: 550, unit: 'MLT', display_text: 'ml' },
    reference: { value: 100, unit: 'MLT', display_text: 'ml' },
  })
  fc.assert(
    fc.property(fc.nat(100_000_000), fc.integer({ min: 10, max: 25_000 }), (priceFen, value) => {
      const exact = (BigInt(priceFen) * 200n + BigInt(value)) / (2n * BigInt(value))
      expect(BigInt(unitPriceOf(fen(priceFen), 'CNY', { unit: 'GRM', value }).amount)).toBe(exact)
    }),
  )
})
