import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSingleItem, packCountOf, packSizeOf, packTextSize } from './pack-size.ts'

/** The notations of price lists in five languages. Each is read right or not at all. */
const NOTATIONS: readonly (readonly [size: number | undefined, ...texts: readonly string[]])[] = [
  // English
  [24, '24/CS', '24 / cs', '24/Cs.', '24/case', '24/cases', '24/BX', '24/ct', '24 ct', '24ct', '24 CT.', '24-ct'],
  [
    24,
    '24/pk',
    '24pk',
    '24 pk',
    '24-pack',
    '24 Pack',
    '24pack',
    '24/pc',
    '24/pcs',
    '24 pcs',
    '24pcs.',
    '24 EA',
    '24/ea',
  ],
  [24, '24 cans', '24/cans', '24 bottles', '24/bottles', '24 count', '24 each', '24 btls', '24 bottles per case'],
  [
    24,
    'CS 24',
    'cs24',
    'CS/24',
    'Case 24',
    'Case pack: 24',
    'case of 24',
    'Box of 24',
    'box of 24 bars',
    '1 case of 24',
  ],
  [24, '24 per case', '24 a case', '24 cans/case', '24x12oz', '24 x 12 oz', '24/12oz', '24/12 oz cans', '24/16.9 OZ'],
  [
    24,
    '12oz x 24',
    '12 oz 24 pk',
    '12oz/24ct',
    '4/6pk',
    '4/6 PK',
    '4/6-pack',
    '4 x 6pk',
    '2/12pk',
    '4x6x12oz',
    '24 x',
    'x24',
  ],
  [60, '60ct 1oz', '60 ct/1 oz', '60/1oz'],
  [48, '48/1.74oz', '48 x 1.74 oz'],
  [12, '12 x 16 oz jars per case', '12/32 oz', '12 / 32 oz bottles', '12/16oz'],
  [1000, '1000/CS', '1000 / cs'],
  [500, '500/BL'],
  // German
  [
    24,
    '24 Stück',
    '24 Stk.',
    '24 St.',
    '24er',
    '24 er',
    '24er Tray',
    '24er-Pack',
    'VE 24',
    'VE: 24',
    'VE=24',
    'VPE 24 Stk.',
  ],
  [
    24,
    '24 Flaschen',
    '24 Dosen',
    '24 Stück/Karton',
    '24 Stück pro Karton',
    'Karton mit 24 Flaschen',
    'Karton à 24 Stück',
  ],
  [24, '24 x 0,33 l', '24x0,33L', '24 x 330 ml Dose', '0,33 l x 24'],
  // French
  [24, 'carton de 24', 'Carton de 24 bouteilles', 'boîte de 24', 'pack de 24', 'colis de 24', '24 pièces', '24 unités'],
  [24, '24 bouteilles', '24 canettes', '24 canettes par carton', '24 x 33cl', '33 cl x 24', '24×33 cl'],
  // Spanish and Italian
  [
    24,
    'caja de 24',
    'Caja con 24 unidades',
    '24 unidades',
    '24 uds.',
    '24 latas',
    '24 botellas por caja',
    'paquete de 24',
  ],
  [24, 'confezione da 24', 'cartone da 24', '24 pezzi', '24 pz.', '24 lattine', '24 bottiglie per cartone'],
  // Chinese
  [
    24,
    '24瓶/箱',
    '24 瓶 / 箱',
    '24瓶',
    '24听',
    '24听/箱',
    '24罐',
    '24入',
    '24支/盒',
    '24/箱',
    '24／箱',
    '２４瓶／箱',
    '1*24',
    '1×24',
  ],
  [
    24,
    '1*24瓶',
    '330ml*24',
    '330ml×24',
    '330ml*24瓶/箱',
    '500毫升*24',
    '250ml*24盒/箱',
    '24瓶*500ml',
    '每箱24瓶',
    '1箱24瓶',
  ],
  // Ranges
  [
    undefined,
    '20-24',
    '20-24/CS',
    '20 - 24 / CS',
    '20–24 ct',
    '20~24瓶',
    '20 to 24 ct',
    '20 bis 24 Stück',
    '20 à 24',
    '20 a 24 uds',
  ],
  [
    undefined,
    '10-15/CS',
    '10-100 / CS',
    '20-24 bottles per case',
    '20-24 / BL',
    '12 x 10-12 oz jars per case',
    '18 - 8OZ / CS',
  ],
  // Volumes, weights and fractions of them
  [
    undefined,
    '12 oz',
    '16.9 oz',
    '330ml',
    '24 g',
    '24 kg',
    '24 L',
    '1.5 l',
    '500毫升',
    '4 GL / CS',
    '12 QT / CS',
    '50 lb bag',
  ],
  [undefined, '1/2 gal', '1/2 gallon jar', '3/4 oz', '5/8 oz', '1/2pk', '500g/24', '24-12oz'],
  // One of something, and words alone
  [undefined, '', '1', '1/CS', '1 case', '1x', 'x1', '1 ct', 'CS', 'Box', 'Karton', 'RL', '箱', '1箱', 'VE'],
  // Packs of packs, and numbers that may be anything
  [
    undefined,
    '4x6',
    '12/12',
    '2x12',
    '24x1',
    '24 Packs',
    '6 boxes',
    '12 packs of 7 one-ounce sticks',
    '16 two-pack sticks per case',
  ],
  [
    undefined,
    '6RL / CS',
    '96/RL / CS',
    '24 dozen',
    '2 dz',
    '10*12包',
    '24盒',
    '24件',
    '0/CS',
    '999999999/CS',
    '1,000/CS',
    '-5/CS',
    '1.5/CS',
  ],
  [
    undefined,
    '24 (4x6)',
    '16 oz jar (12 per case)',
    '2 cases of 24',
    '24/7',
    'Coke 12 oz',
    '049000000443 CS',
    '24+2 ct',
    '24%',
  ],
]

describe('pack text', () => {
  test('a hundred notations of five languages are read right or not at all', () => {
    const texts = NOTATIONS.flatMap(([size, ...rest]) => rest.map((text) => [text, size] as const))
    expect(texts.length).toBeGreaterThan(200)
    expect(texts.filter(([, size]) => size !== undefined).length).toBeGreaterThan(100)
    expect(texts.map(([text]) => [text, packSizeOf(text)])).toEqual(texts)
  })

  test('a bare whole number is a size where the column holds pack texts', () => {
    expect(['24', ' 2 ', '1', '0', '24.0', '16.9', '049000000443'].map(packTextSize)).toEqual([24, 2, ...Array(5)])
  })

  test('only words for one item say that the price is that of one', () => {
    const yes = [
      'EA',
      'ea.',
      'each',
      '1 EA',
      '1EA',
      'PC',
      'pcs',
      'Stück',
      'Stk.',
      '1 Stück',
      'pièce',
      'pieza',
      'pezzo',
      '瓶',
      '个',
    ]
    expect(yes.filter((text) => !isSingleItem(text))).toEqual([])
    const no = [
      '',
      '1',
      'CS',
      'case',
      'box',
      '1 case',
      '箱',
      '件',
      'unit',
      '24 EA',
      'EA 24',
      '12 oz',
      'pack',
      '1/CS',
      '2 EA',
    ]
    expect(no.filter(isSingleItem)).toEqual([])
  })

  const count = fc.integer({ min: 0, max: 999 })
  const around = fc.constantFrom(
    '',
    '/CS',
    ' / CS',
    '/BX',
    ' ct',
    ' pk',
    ' bottles per case',
    'oz',
    ' x 330ml',
    '瓶/箱',
    ' Stück',
  )

  test('two numbers with a hyphen or a word between them are never a size', () => {
    const sign = fc.constantFrom('-', ' - ', '–', ' to ', '~', ' bis ', ' à ', ' a ')
    fc.assert(
      fc.property(count, count, sign, around, (from, to, between, behind) => {
        expect(packTextSize(`${from}${between}${to}${behind}`)).toBeUndefined()
      }),
    )
  })

  test.each(['CS 24¹', '24²ct', '24₁ ct', '12 x carton', '2 x case'])('%s is no size', (text) => {
    expect(packTextSize(text)).toBeUndefined()
  })

  test('a number with a unit of volume or weight is no count', () => {
    const unit = fc.constantFrom('oz', 'fl oz', 'ml', 'cl', 'l', 'L', 'g', 'kg', 'lb', 'gal', '毫升', '克')
    fc.assert(
      fc.property(count, fc.constantFrom('', ' '), unit, (amount, blank, name) => {
        expect(packTextSize(`${amount}${blank}${name}`)).toBeUndefined()
      }),
    )
  })

  test('no text makes it slow or throw', () => {
    const sign = fc.constantFrom(...Array.from('0123456789/ x*-.ctpkoz瓶箱'))
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 200 }), (signs) => {
        const size = packTextSize(signs.join(''))
        expect(size === undefined || (Number.isInteger(size) && size >= 2)).toBe(true)
      }),
    )
  })
})

test('a size column holds a count, or pack text', () => {
  const byPoint = (text: string) => packCountOf(text, '.')
  const byComma = (text: string) => packCountOf(text, ',')
  expect(['24', '7.0', ' 12 ', '8.00', '2,000', '24/CS'].map(byPoint)).toEqual([24, 7, 12, 8, 2000, 24])
  expect(['24', '7,0', '8,00', '2.000', '2 000'].map(byComma)).toEqual([24, 7, 8, 2000, 2000])
  expect(['', '0', '1', 'Box', 'FL-64132', '1e3', '200000', '10-10 / CS'].map(byPoint)).toEqual(
    Array.from({ length: 8 }),
  )
})

test('a size that may be another number is not read', () => {
  expect(['7.5', '-4', '8,00', '2.000', '2,0000', '1,2,3'].map((text) => packCountOf(text, '.'))).toEqual(
    Array.from({ length: 6 }, () => 'unreadable'),
  )
  expect(['24.0', '2,000', '2.00'].map((text) => packCountOf(text, ','))).toEqual(
    Array.from({ length: 3 }, () => 'unreadable'),
  )
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 99_999 }), (size) => {
      expect(packCountOf(size.toLocaleString('en-US'), '.')).toBe(size)
      expect(packCountOf(size.toLocaleString('de-DE'), ',')).toBe(size)
      const other = packCountOf(size.toLocaleString('de-DE'), '.')
      expect(size < 1_000 ? size : 'unreadable').toBe(other)
    }),
  )
})
