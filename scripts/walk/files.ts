/** The files of the recorded walk, our own making: a messy price list of 300 products, and DEX files of two machines. */
import { crc16 } from '../../src/vendors/eva-dts/dex-text.ts'
import { type TestCell, xlsx } from '../../test/support/workbooks.ts'

interface Product {
  readonly article: string
  readonly title: string
  readonly pack: string
  readonly size: number
  readonly price: number
  readonly barcode: string
  readonly status?: string
}

const LINES: readonly (readonly [kind: string, brands: readonly string[], tastes: readonly string[], each: number])[] =
  [
    ['Cola 12 oz can', ['Harbor', 'Old Mill', 'Red Rock'], ['', 'Zero', 'Cherry', 'Vanilla'], 0.42],
    ['Spring Water 16.9 oz', ['Blue Fern', 'Pine Lake'], ['', 'Sparkling', 'Lemon'], 0.21],
    ['Iced Tea 16 oz', ['Porch', 'Sunday'], ['Lemon', 'Peach', 'Green', 'Unsweetened'], 0.68],
    ['Energy Drink 16 oz', ['Volt', 'Night Owl'], ['', 'Sugar Free', 'Mango', 'Berry'], 1.24],
    ['Juice 11.5 oz', ['Grove'], ['Apple', 'Orange', 'Grape', 'Cranberry', 'Fruit Punch'], 0.74],
    [
      'Potato Chips 1.5 oz',
      ['Kettle Hill', 'Golden'],
      ['Sea Salt', 'Barbecue', 'Sour Cream', 'Jalapeno', 'Vinegar'],
      0.46,
    ],
    ['Tortilla Chips 1.75 oz', ['Plaza'], ['Nacho', 'Ranch', 'Chili Lime', 'Plain'], 0.48],
    ['Pretzels 1.5 oz', ['Twist & Co'], ['Classic', 'Honey Mustard', 'Butter'], 0.41],
    ['Chocolate Bar 1.6 oz', ['Maple Street', 'Dover'], ['Milk', 'Almond', 'Caramel', 'Dark', 'Peanut'], 0.83],
    ['Cookies 2 oz', ['Grandma Lou'], ['Chocolate Chip', 'Oatmeal', 'Sugar', 'Ginger'], 0.52],
    ['Granola Bar 1.4 oz', ['Trailhead'], ['Oats & Honey', 'Peanut', 'Cranberry', 'Chocolate'], 0.44],
    ['Peanuts 1.75 oz', ['Dixie Farm'], ['Salted', 'Honey Roasted', 'Spicy'], 0.39],
    ['Gum 15 sticks', ['Clear'], ['Mint', 'Spearmint', 'Cinnamon'], 0.92],
    ['Candy 2 oz', ['Rainbow'], ['Fruit', 'Sour', 'Tropical', 'Berry'], 0.71],
  ]
/** As wholesalers write them; the last ones leave the size open, and are asked about. */
const PACKS: readonly (readonly [text: string, size: number])[] = [
  ['24/CS', 24],
  ['case of 24', 24],
  ['12 ct', 12],
  ['2/12pk', 24],
  ['CS 48', 48],
  ['36-pack', 36],
  ['24 ct.', 24],
]

/** Exactly 300 rows: every line in its tastes, then in other sizes. */
export function products(): readonly Product[] {
  const all: Product[] = []
  for (let round = 0; all.length < 300; round++)
    for (const [kind, brands, tastes, each] of LINES)
      for (const brand of brands)
        for (const taste of tastes) {
          if (all.length >= 300) break
          const n = all.length
          const [pack, size] = PACKS[n % PACKS.length] ?? ['24/CS', 24]
          const suffix = round === 0 ? '' : round === 1 ? ' Large' : ' Family'
          const isOpen = n % 61 === 17
          all.push({
            article: String(40_100 + n),
            title: [brand, taste, kind].filter(Boolean).join(' ') + suffix,
            pack: isOpen ? 'CS' : pack,
            size,
            price: Math.round(each * (1 + round * 0.6) * size * 100) / 100,
            barcode: gtin(100_000 + n),
            ...(n % 97 === 60 && { status: 'discontinued' }),
          })
        }
  return all
}

/** A GTIN of a prefix that is for use inside a company. */
function gtin(n: number): string {
  const body = `200000${String(n).padStart(6, '0')}`
  const sum = body.split('').reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

export function priceList(): Uint8Array {
  const all = products()
  const rows: TestCell[][] = [
    [{ merged: 'TRI-COUNTY VENDING SUPPLY', over: 6 }],
    ['Price list, prices per case, net of tax', null, null, null, null, { date: '2026-11-01' }],
    [],
    ['Item #', 'Description', 'Pack', 'Case Price', 'UPC', 'Remarks'],
  ]
  for (const [i, { article, title, pack, price, barcode, status = '' }] of all.entries()) {
    // Headings between the rows, as in most lists.
    if (i % 75 === 0) rows.push([`--- page ${i / 75 + 1} ---`])
    rows.push([article, title, pack, { value: price, format: '$#,##0.00' }, barcode, status])
  }
  rows.push([], ['Orders by 2 pm are delivered the next day. 555-0100'])
  return xlsx({ name: 'Nov 2026', rows })
}

export interface Machine {
  readonly asset: string
  readonly serial: string
  readonly model: string
  readonly selections: readonly { readonly code: string; readonly price: number; readonly sold: number }[]
}

const PRICES = [150, 150, 175, 200, 125, 250, 175, 150, 225, 200]

export const MACHINES: readonly Machine[] = [
  { asset: 'LOBBY-1', serial: 'VM204417', model: 'SnackCenter 3', selections: selections(['A', 'B'], 5) },
  { asset: 'GYM-2', serial: 'VM204533', model: 'DrinkTower', selections: selections(['1'], 8) },
]

function selections(rows: readonly string[], columns: number): Machine['selections'] {
  return rows.flatMap((row, r) =>
    Array.from({ length: columns }, (_, c) => ({
      code: `${row}${c + 1}`,
      price: PRICES[(r * columns + c) % PRICES.length] ?? 150,
      sold: 9 + (((r * columns + c) * 5) % 13),
    })),
  )
}

/** A reading of the machine after so many weeks. */
export function dexFile({ asset, serial, model, selections: all }: Machine, weeks: number, day: Date): string {
  const total = all.reduce((sum, { sold }) => sum + sold * weeks, 0)
  const value = all.reduce((sum, { sold, price }) => sum + sold * weeks * price, 0)
  const date = day.toISOString().slice(2, 10).replaceAll('-', '')
  const lines = [
    'ST*001*0001',
    `ID1*${serial}*${model}*0***${asset}*6`,
    'ID4*2*1840*USD',
    `VA1*${value}*${total}*0*0`,
    `EA3*${weeks}*${date}*0730`,
    ...all.flatMap(({ code, price, sold }) => [
      `PA1*${code}*${price}`,
      `PA2*${sold * weeks}*${sold * weeks * price}*0*0`,
    ]),
  ].join('\r\n')
  const sum = crc16(`${lines}\r\n`).toString(16).padStart(4, '0')
  return ['DXS*ABC1234567*VA*V0/6*1', lines, `G85*${sum}`, `SE*${all.length * 2 + 6}*0001`, 'DXE*1*1', ''].join('\r\n')
}
