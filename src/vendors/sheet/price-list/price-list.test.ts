import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wholeLines } from './examine-list.ts'
import { endsMidLine } from '../documents/csv/csv-text.ts'
import { damage } from './damage.test-support.ts'
import { type ListedProduct, type ProductList, losesTooMuch } from './listed-products.ts'
import { type PriceListSettings, readPriceList } from './price-list.ts'
import { findSamples } from './samples.test-support.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const SETTINGS: PriceListSettings = {
  encoding: 'utf-8',
  delimiter: ',',
  decimal: '.',
  skipRows: 0,
  columns: { sku: 'Code', title: 'Name', pack: 'Pack', pack_price: 'Price' },
  currency: 'USD',
  digits: 2,
}
const HEADER = 'Code,Name,Pack, Price '
const list = (lines: readonly string[], settings: Partial<PriceListSettings> = {}): ProductList =>
  readPriceList(Buffer.from([...lines, ''].join('\r\n')), { ...SETTINGS, ...settings })

function products(read: ProductList): readonly ListedProduct[] {
  if (!read.ok) throw new Error(read.problem)
  return read.products
}
const leftOut = (read: ProductList) => (read.ok ? read.leftOut : [])

describe('a price list', () => {
  test('is read by header texts, whatever blanks are around them', () => {
    expect(products(list([HEADER, 'A1,"Towel 10"" wide",4800/CS,60.1']))).toEqual([
      {
        vendorSku: 'A1',
        title: 'Towel 10" wide',
        spec: '4800/CS',
        units: 'pack',
        packSize: 4800,
        packPriceFen: 6010,
        eachPriceFen: 1,
        eachPriceDerived: true,
        stock: null,
        isForSale: true,
      },
    ])
  })

  test('finds a header with a composed letter or a line break in it, and none by its case alone', () => {
    const named = (title: string, price: string) =>
      list(['Code,"Bezeichnu\u0308ng","Preis\n(netto)"', 'A,Tee,1.50'], {
        columns: { sku: 'Code', title, each_price: price },
      })
    expect(products(named('Bezeichn\u00FCng', 'Preis (netto)'))).toMatchObject([{ title: 'Tee', packPriceFen: 150 }])
    expect(named('bezeichn\u00FCng', 'Preis (netto)')).toMatchObject({ ok: false })
  })

  test('leaves out rows without code, title or price, and says how many and where', () => {
    const read = list([
      HEADER,
      'SECTION,,,',
      ',Mop,EA,   -     ',
      ',Total,EA,3',
      '',
      'B1,Broom,EA,',
      'B2,Brush,EA,-',
      'B3,Sponge,EA,0.00',
      'B4,Soap,EA,call',
      'NOVA 3000,Napkin,20-135 / CS,39.03',
      'B:5,Napkin,EA,39.03',
      'B6,Cloth,EA,2',
      'B7,Wax,EA,',
      'B8,Wax,EA,',
    ])
    expect(products(read).map(({ vendorSku }) => vendorSku)).toEqual(['B6'])
    expect(leftOut(read)).toEqual([
      { reason: 'no_title', count: 1, rows: [2] },
      { reason: 'no_sku', count: 2, rows: [3, 4] },
      { reason: 'no_price', count: 6, rows: [6, 7, 8, 9, 13] },
      { reason: 'unusable_sku', count: 2, rows: [10, 11] },
    ])
  })

  const withEach = { ...SETTINGS.columns, each_price: 'Each' }
  const rowOf = (pack: string, price: string, each: string) =>
    list([`${HEADER},Each`, `A,Tea,${pack},${price},${each}`], { columns: withEach })

  test.each([
    ['24 bottles per case', '', '24', 'pack', 24, 2400, 100],
    ['24 ct', '', '26.88', 'pack', 24, 2688, 112],
    ['24', '', '26.88', 'pack', 24, 2688, 112],
    ['24 bottles per case', '1.00', '24', 'both', 24, 2400, 100],
    ['24/CS', '.56', '13.49', 'both', 24, 1349, 56],
    ['24/CS', '.57', '13.49', 'both', 24, 1349, 57],
    // A price of one with more digits than cents only agrees or not.
    ['12/CS', '1.895', '22.74', 'pack', 12, 2274, 190],
    ['12/CS', '0.789473684210526', '9.47', 'pack', 12, 947, 79],
    ['24/CS', '0.66/ea', '15.93/cs', 'both', 24, 1593, 66],
    ['24/CS', '', '$15.93 per case', 'pack', 24, 1593, 66],
    ['24/CS', '1.5', '', 'each', 1, 150, 150],
    ['1/CS', '24', '24', 'each', 1, 2400, 2400],
    ['', '24', '24', 'each', 1, 2400, 2400],
    ['EA', '', '24', 'each', 1, 2400, 2400],
    ['1 EA', '', '24', 'each', 1, 2400, 2400],
    ['1000/CS', '', '1', 'pack', 1000, 100, 0],
  ])(
    'pack %j with each price %j and pack price %s sells %s',
    (pack, each, price, units, size, packPrice, eachPrice) => {
      const [product] = products(rowOf(pack, price, each))
      expect(product).toMatchObject({ units, packSize: size, packPriceFen: packPrice, eachPriceFen: eachPrice })
      expect(product?.eachPriceDerived).toBe(units === 'pack')
    },
  )

  test.each([
    ['20-24 bottles per case', '', '24', 'unknown_pack'],
    ['20-24/CS', '', '24', 'unknown_pack'],
    ['Box', '', '24', 'unknown_pack'],
    ['', '', '24', 'unknown_pack'],
    ['1', '', '24', 'unknown_pack'],
    ['1/CS', '', '24', 'unknown_pack'],
    ['1/2 gal', '', '24', 'unknown_pack'],
    ['16.9 oz', '', '24', 'unknown_pack'],
    ['Box', '1.5', '24', 'unknown_pack'],
    ['', '1.5', '24', 'unknown_pack'],
    ['4/6/12oz', '0.62', '15.00', 'unknown_pack'],
    ['12/24ct', '0.09', '26.49', 'unknown_pack'],
    ['CS', '1.895', '22.74', 'unknown_pack'],
    ['24/CS', '1.895', '22.74', 'prices_disagree'],
    ['24 bottles per case', '1.5', '24', 'prices_disagree'],
    ['24/CS', '26.88', '26.88', 'prices_disagree'],
    ['12/CS', '1.12', '26.88', 'prices_disagree'],
    ['EA', '1.12', '26.88', 'prices_disagree'],
    ['Box', '24', '1.5', 'prices_disagree'],
  ])('pack %j with each price %j and pack price %s cannot be ordered: %s', (pack, each, price, reason) => {
    expect(rowOf(pack, price, each)).toMatchObject({
      ok: true,
      products: [],
      unreadable: [{ row: 2, reason, vendorSku: 'A', ...(pack && { text: pack }) }],
    })
  })

  test.each([
    ['4/6/12oz', '0.62', '15.00', 24],
    ['CS', '1.895', '22.74', 12],
    ['24/CS', '1.5', '18', 12],
    // 265 to 330 would fit a price of nine cents.
    ['12/24ct', '0.09', '26.49', undefined],
    // 38 to 41 fit 30 cents, only one fits 30.00.
    ['CS', '0.30', '12', undefined],
    ['CS', '0.3001', '12', undefined],
    ['CS', '0.3077', '12', 39],
    ['CS', '', '12', undefined],
  ])('pack %j with each price %j and pack price %s is asked about, with %s proposed', (pack, each, price, size) => {
    const read = rowOf(pack, price, each)
    expect(products(read)).toEqual([])
    expect(read.ok && read.asked.map(({ suggested }) => suggested)).toEqual([size])
  })

  test.each([
    ['24/CS', '0.28', 'MKT', 'price_in_words', 'Price', 'MKT'],
    ['24/CS', '', 'MKT', 'no_price', 'Price', 'MKT'],
    ['24/CS', '', '15.93/pk', 'unreadable_price', 'Price', '15.93/pk'],
    ['24/CS', '', '15.93/ea', 'unreadable_price', 'Price', '15.93/ea'],
    ['24/CS', '', '15.935', 'unreadable_price', 'Price', '15.935'],
    ['24/CS', '1.895', '', 'unreadable_price', 'Each', '1.895'],
    ['24/CS', 'ab 1', '24', 'unreadable_price', 'Each', 'ab 1'],
  ])(
    'pack %j with each price %j and pack price %j is left out by its cell',
    (pack, each, price, reason, column, value) => {
      const rows = Array.from({ length: 9 }, (_, i) => `B${i},Tea,24/CS,9,`)
      const read = list([`${HEADER},Each`, `A,Tea,${pack},${price},${each}`, ...rows], { columns: withEach })
      expect(products(read)).toHaveLength(9)
      expect(read).toMatchObject({ unreadable: [{ row: 2, reason, vendorSku: 'A', about: { column, value } }] })
    },
  )

  test('articles that wait for a word refuse no list, however many they are', () => {
    const rows = Array.from({ length: 9 }, (_, i) => `A${i},Tea,Karton,${i + 1}`)
    expect(list([HEADER, 'B,Tea,24/CS,9', ...rows])).toMatchObject({
      products: [{ vendorSku: 'B' }],
      leftOut: [{ reason: 'unknown_pack', count: 9 }],
    })
  })

  test('a size column may hold 7.0; one that contradicts the pack text is no size', () => {
    const columns = { ...SETTINGS.columns, pack_size: 'Case' }
    const sized = (pack: string, size: string) => list([`${HEADER},Case`, `A,Tea,${pack},14,${size}`], { columns })
    for (const pack of ['', '7/CS', 'Karton', '20-24'])
      expect(products(sized(pack, '7.0'))).toMatchObject([{ units: 'pack', packSize: 7, eachPriceFen: 200 }])
    for (const pack of ['24/CS', 'EA']) expect(leftOut(sized(pack, '7.0'))).toMatchObject([{ reason: 'unknown_pack' }])
    for (const size of ['1', '0', 'EA'])
      expect(leftOut(sized('24 ct', size)), size).toMatchObject([{ reason: 'unknown_pack' }])
  })

  test('a list whose settings name the price of a pack and nothing about its size is refused', () => {
    const columns = { sku: 'Code', title: 'Name', pack_price: 'Price' }
    expect(list([HEADER, 'A,Tea,EA,1'], { columns })).toMatchObject({ problem: expect.stringMatching(/each_price/) })
  })

  test('sizes and stock are read by the decimal sign of the list, and a row whose size may be another is left out', () => {
    const columns = { ...SETTINGS.columns, pack_size: 'Case', stock: 'Stock' }
    const read = list(
      [
        `${HEADER},Case,Stock`,
        'A,Tea,,140,"2,000","3,000"',
        'B,Tea,,140,2.000,1',
        'C,Tea,,140,24,3.000',
        ...'DEFG'.split('').map((sku) => `${sku},Tea,,140,12,5`),
      ],
      { columns },
    )
    expect(products(read).slice(0, 2)).toMatchObject([
      { vendorSku: 'A', packSize: 2000, stock: 3000 },
      { vendorSku: 'C', packSize: 24, stock: null },
    ])
    expect(read).toMatchObject({ unreadable: [{ row: 3, reason: 'unreadable_quantity', vendorSku: 'B' }] })
  })

  test('reads brand, category, barcode, stock and availability where there are columns', () => {
    const columns = {
      ...SETTINGS.columns,
      brand: 'Brand',
      category: 'Group',
      barcode: 'UPC',
      stock: 'Stock',
      on_shelf: 'Active',
    }
    const read = list(
      [
        `${HEADER},Brand,Group,UPC,Stock,Active`,
        'A,Tea,EA,1,Acme,Drinks,4006381333931,7.0,yes',
        'B,Tea,EA,1,,,FL-64132,many,No',
        'C,Tea,EA,1,,,4.00638E+12,-3,0',
        'D,Tea,EA,1,,,,,FALSE',
      ],
      { columns },
    )
    expect(products(read)).toMatchObject([
      { brand: 'Acme', category: 'Drinks', barcode: '4006381333931', stock: 7, isForSale: true },
      { stock: null, isForSale: false },
      { stock: 0, isForSale: false },
      { stock: null, isForSale: false },
    ])
    expect(products(read).slice(1)).not.toContainEqual(expect.objectContaining({ barcode: expect.anything() }))
  })

  test.each([
    'DISCONTINUED',
    'Discontinued 11/26',
    'out of stock',
    'Out-of-stock',
    'sold out',
    'nicht lieferbar',
    'ausverkauft',
    'Épuisé',
    'rupture de stock',
    'agotado',
    'esaurito',
    'no longer available',
    'on backorder',
    'vergriffen',
    'Auslaufartikel',
    'nicht mehr verfügbar',
    'en rupture',
    'plus disponible',
    'sin existencias',
    'descatalogado',
    'non più disponibile',
    '停产',
    '停售',
    '暂时缺货',
    '暂缺',
    '断货',
    '售罄',
    '已下架',
    '否',
    'N',
    'DISC',
    'Disc.',
    'OUT',
    'OOS',
    'Temp out',
  ])('the status %j takes an article off', (word) => {
    const columns = { ...SETTINGS.columns, on_shelf: 'Status' }
    const read = list([`${HEADER},Status`, `A,Tea,EA,1,${word}`, 'B,Tea,EA,1,In stock', 'C,Tea,EA,1,在售'], { columns })
    expect(products(read).map(({ isForSale }) => isForSale)).toEqual([false, true, true])
    expect(read).toHaveProperty('notes', [`1 product not for sale by the list ("${word}" in the column "Status")`])
  })

  test('a row without an article number goes by its barcode, else by its title; it is told once', () => {
    const columns = { ...SETTINGS.columns, barcode: 'UPC' }
    const rows = [
      `${HEADER},UPC`,
      'A1,Cola,EA,1,4006381333931',
      ',Tea  Green,EA,2,4006381333931',
      ',Water ,EA,3,',
      ',WATER,EA,3,none',
      ',Subtotal,EA,9,',
      ',合计,EA,9,',
      ',Delivery fee,EA,9,',
      ',AVG CASE $,EA,24.87,',
      ',TOTAL ITEMS,EA,287,',
      ',,EA,9,',
    ]
    const read = list(rows, { columns })
    expect(products(read).map(({ vendorSku, title }) => [vendorSku, title])).toEqual([
      ['A1', 'Cola'],
      ['4006381333931', 'Tea Green'],
      [expect.stringMatching(/^t-[0-9a-f]{12}$/), 'Water'],
    ])
    expect(read).toMatchObject({
      notes: ['3 rows without an article number: named 1 by its barcode, 2 by a number made from their title'],
      leftOut: [{ reason: 'no_sku', count: 6 }],
    })
    const again = list([HEADER, ',Water,EA,3.50'], { columns: { title: 'Name', pack: 'Pack', pack_price: 'Price' } })
    expect(products(again)[0]?.vendorSku).toBe(products(read)[2]?.vendorSku)
    const others = Array.from({ length: 12 }, (_, i) => `B${i},Gum,EA,1,`)
    const disagreeing = list([...rows, ',Water,EA,4,', ...others], { columns })
    expect(products(disagreeing)).toHaveLength(2 + others.length)
    expect(leftOut(disagreeing)).toContainEqual({ reason: 'conflicting', count: 3, rows: [4, 5, 12] })
  })

  test.each([
    ['19%', 19],
    ['19 %', 19],
    ['8.875', 8.875],
    ['7,0 %', 7],
    ['0', 0],
    ['3%', 3],
    ['exempt', 0],
    ['免税', 0],
    ['', undefined],
    ['-', undefined],
  ])('a tax of %j is %s percent', (text, rate) => {
    const columns = { ...SETTINGS.columns, tax: 'Tax' }
    const [product] = products(list([`${HEADER},Tax`, `A,Tea,EA,1,"${text}"`], { columns }))
    expect(product?.taxRate).toBe(rate)
  })

  test.each(['A', '1', '2', '0.19', '190', '19% / 7%', '-7%', 'reduced'])('a tax of %j is no rate', (text) => {
    const columns = { ...SETTINGS.columns, tax: 'Tax' }
    const good = Array.from({ length: 5 }, (_, i) => `B${i},Tea,EA,1,19`)
    const read = list([`${HEADER},Tax`, ...good, `A,Tea,EA,1,${text}`], { columns })
    expect(products(read)).toHaveLength(5)
    expect(leftOut(read)).toEqual([{ reason: 'unreadable_tax', count: 1, rows: [7] }])
  })

  test('so does a title or a stock that says so', () => {
    const columns = { ...SETTINGS.columns, stock: 'Stock' }
    const read = list([`${HEADER},Stock`, 'A,Tea *DISCONTINUED*,EA,1,7', 'B,Tea,EA,1,out of stock', 'C,Tea,EA,1,7'], {
      columns,
    })
    expect(products(read).map(({ isForSale }) => isForSale)).toEqual([false, false, true])
  })

  test('nobody is asked about the pack of what is not to be had, and its other rows do not make it so', () => {
    const others = Array.from({ length: 5 }, (_, i) => `C${i},Tea,12/CS,9,Y`)
    const columns = { ...SETTINGS.columns, on_shelf: 'Avail' }
    const read = list([`${HEADER},Avail`, 'A,Tea,CS,14,DISC', 'B,Tea,CS,14,OUT', 'B,Tea,12/CS,14,Y', ...others], {
      columns,
    })
    expect(products(read).map(({ vendorSku }) => vendorSku)).toEqual(['C0', 'C1', 'C2', 'C3', 'C4'])
    expect(read).toMatchObject({ asked: [], unreadable: [{ reason: 'conflicting', vendorSku: 'B' }] })
  })

  test('a second column that says so does not count, and that is told', () => {
    const columns = { ...SETTINGS.columns, on_shelf: 'Avail' }
    const read = list([`${HEADER},Avail,Notes`, 'A,Tea,EA,14,Y,DISC', 'B,Tea,EA,9,Y,'], { columns })
    expect(read).toHaveProperty('notes', [expect.stringContaining('the column "Notes" says of 1 article')])
  })

  test('what somebody has to say is named: a pack without a certain size, a word about availability', () => {
    const columns = { ...SETTINGS.columns, on_shelf: 'Active' }
    const read = list(
      [`${HEADER},Active`, 'A,Tea,20-24 bags,14,jo', 'B,Tea,EA,1,hm', 'C,Tea,24/CS,9,nah', 'D,Tea,Karton,9,no'],
      { columns },
    )
    expect(products(read).map(({ units, isForSale }) => [units, isForSale])).toEqual([
      ['each', true],
      ['pack', true],
    ])
    expect(read).toMatchObject({
      notes: [
        '1 product not for sale by the list ("no" in the column "Active")',
        'the pack "20-24 bags" states no certain number of items, so these articles cannot be ordered',
        '"hm", "nah" in the column on_shelf is not known and counts as for sale',
      ],
    })
    expect(list([HEADER, 'A,Tea,24/CS,1'])).not.toHaveProperty('notes')
  })

  test('prices may carry the sign of our currency, and only that', () => {
    const rows = ['$5', '$ 5', '5 USD', 'USD 1,000.50', '4', '3', '2', '1']
    const lines = rows.map((price, i) => `A${i},Tea,EA,"${price}"`)
    const read = list([HEADER, ...lines, 'B,Tea,EA,€ 5'])
    expect(products(read).map(({ packPriceFen }) => packPriceFen)).toEqual([500, 500, 500, 100050, 400, 300, 200, 100])
    expect(leftOut(read)).toEqual([{ reason: 'unreadable_price', count: 1, rows: [10] }])
  })

  test('a decimal comma, a semicolon and rows above the header', () => {
    const read = list(['Preisliste 2026', '', 'Code;Name;Pack;Price', 'A;Tee;EA;1.234,5'], {
      delimiter: ';',
      decimal: ',',
      skipRows: 2,
      currency: 'EUR',
    })
    expect(products(read)).toMatchObject([{ packPriceFen: 123450 }])
  })

  test.each([
    ['utf-8', Buffer.from('\uFEFFCode,Name,Pack,Price\nA,Käse,EA,1\n'), 'Käse'],
    ['windows-1252', Buffer.from('Code,Name,Pack,Price\nA,K\u00e4se,EA,1\n', 'latin1'), 'Käse'],
    // 可乐 in gb18030
    [
      'gb18030',
      Buffer.concat([
        Buffer.from('Code,Name,Pack,Price\nA,'),
        Buffer.from([0xbf, 0xc9, 0xc0, 0xd6]),
        Buffer.from(',EA,1\n'),
      ]),
      '可乐',
    ],
  ] as const)('is decoded as %s', (encoding, bytes, title) => {
    expect(products(readPriceList(bytes, { ...SETTINGS, encoding }))).toMatchObject([{ title }])
  })

  test('the same row twice is one product; two rows that differ are none', () => {
    const read = list([
      HEADER,
      'A,Tea,EA,1',
      'A,TEA,EA,1.00',
      'B,Milk,EA,1',
      'B,Milk,EA,2',
      ...Array.from({ length: 9 }, (_, i) => `C${i},Water,EA,1`),
    ])
    expect(products(read)).toHaveLength(10)
    expect(read).toMatchObject({ repeated: 1, leftOut: [{ reason: 'conflicting', count: 2, rows: [4, 5] }] })
  })

  test('rows that cannot be read contradict the others of their article; rows without a price do not', () => {
    const others = Array.from({ length: 30 }, (_, i) => `C${i},Water,EA,1`)
    const taken = (...rows: readonly string[]) => {
      const read = list([HEADER, ...rows, ...others])
      return products(read).filter(({ vendorSku }) => !vendorSku.startsWith('C')).length
    }
    expect(taken('A,Tea,EA,"$36,96"', 'A,Tea,EA,"$36,96"', 'A,Tea,EA,99.99')).toBe(0)
    expect(taken('A,Tea,EA,99.99', 'A,Tea,Karton,36.96')).toBe(0)
    expect(taken('A,Tea,EA,99.99', 'A,,EA,36.96')).toBe(0)
    expect(taken('A,Tea,EA,99.99', 'A,Tea,EA,36.96,1')).toBe(0)
    expect(taken('A,Tea,EA,99.99', 'A,Tea,EA')).toBe(1)
    expect(taken('A,Tea,EA,99.99', 'A,,,')).toBe(1)
    expect(taken('A,Tea,EA,99.99', 'A,Tea,EA,call')).toBe(1)
    expect(taken('A,Tea,EA,99.99', 'A,Tea,EA,0.00')).toBe(0)
    expect(list([HEADER, 'A,Tea,EA,1..2', 'A,Tea,EA,99.99', ...others])).toMatchObject({
      unreadable: [
        { row: 2, reason: 'unreadable_price', vendorSku: 'A' },
        { row: 3, reason: 'conflicting', vendorSku: 'A' },
      ],
    })
  })

  test('two rows of which one is discontinued offer neither', () => {
    const columns = { ...SETTINGS.columns, on_shelf: 'Status' }
    const read = list(
      [
        `${HEADER},Status`,
        'A,Tea,EA,1,discontinued',
        'A,Tea,EA,1,',
        ...Array.from('BCDEFGHIJ').map((sku) => `${sku},Tea,EA,1,`),
      ],
      { columns },
    )
    expect(products(read)).toHaveLength(9)
  })

  test.each(['\n', '\r', '\r\n', '\r\r\n'])('lines may end with %j', (end) => {
    const text = [HEADER, 'A,"Tea\nwith milk",EA,1', 'B,,EA,1', 'C,Milk,EA,2', ''].join(end)
    const read = readPriceList(Buffer.from(text), SETTINGS)
    expect(products(read)).toMatchObject([{ title: 'Tea with milk' }, { packPriceFen: 200 }])
    expect(leftOut(read)).toEqual([{ reason: 'no_title', count: 1, rows: [3] }])
  })

  test('a single and a case with codes of their own stay two products', () => {
    expect(products(list([HEADER, 'A-1,Tea,EA,1', 'A-24,Tea,24/CS,20']))).toHaveLength(2)
  })
})

describe('a list is refused as a whole', () => {
  test.each<[string, readonly string[], Partial<PriceListSettings>, RegExp]>([
    ['without a price column', [HEADER, 'A,Tea,EA,1'], { columns: { sku: 'Code', title: 'Name' } }, /no price column/],
    ['without a title column', [HEADER, 'A,Tea,EA,1'], { columns: { sku: 'Code', pack_price: 'Price' } }, /no title/],
    ['when a column is missing', ['Code,Name,Pack', 'A,Tea,EA'], {}, /no column "Price" for pack_price.*Code, Name/],
    ['when a header is there twice', ['Code,Name,Price,Pack,Price', 'A,Tea,1,EA,2'], {}, /"Price" 2 times/],
    ['without rows', [HEADER], {}, /no row can be offered/],
    ['when no row has a price', [HEADER, 'A,Tea,EA,', ',,,'], {}, /no_price: 1, first row 2/],
    ['when the header is beyond its end', [HEADER], { skipRows: 7 }, /row 8 should be the header/],
    ['with a quote that never ends', [HEADER, 'A,"Tea,EA,1'], {}, /not readable as CSV/],
    ['when the decimal sign is wrong', [HEADER, 'A,Tea,EA,"1,50"', 'B,Tea,EA,2'], {}, /unreadable_price: 1/],
    ['when the delimiter splits prices', [HEADER, 'A,Tea,EA,1,50', 'B,Tea,EA,2'], {}, /extra_cells: 1/],
  ])('%s', (_, lines, settings, problem) => {
    expect(list(lines, settings)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })

  test('when it is not of its encoding', () => {
    const latin = Buffer.from(`${HEADER}\nA,K\u00e4se,EA,1\n`, 'latin1')
    expect(readPriceList(latin, SETTINGS)).toEqual({ ok: false, problem: 'the file is not utf-8 text' })
    const wide = Buffer.from(`${HEADER}\nA,Tea,EA,1\n`, 'utf16le')
    expect(readPriceList(wide, { ...SETTINGS, encoding: 'windows-1252' }).ok).toBe(false)
  })
})

test('losing more than half of the products is too much, also when others took their place', () => {
  const some = (...skus: readonly string[]) => products(list([HEADER, ...skus.map((sku) => `${sku},Tea,EA,1`)]))
  const before = some('A', 'B', 'C', 'D')
  expect(losesTooMuch(before, { products: some('A', 'B') })).toBe(false)
  expect(losesTooMuch(before, { products: some('A') })).toBe(true)
  expect(losesTooMuch(before, { products: some('A', 'X', 'Y', 'Z') })).toBe(true)
  expect(losesTooMuch([], { products: some('A') })).toBe(false)
  const waiting = ['B', 'C'].map((vendorSku, row) => ({ row, reason: 'unknown_pack' as const, vendorSku }))
  expect(losesTooMuch(before, { products: some('A'), unreadable: waiting })).toBe(false)
})

test('a file whose last line has no end may still be written', () => {
  expect(['a\r\nb\r\n', 'a\nb', 'a', ''].map(endsMidLine)).toEqual([false, true, false, false])
})

describe('properties', () => {
  const sku = fc.stringMatching(/^[A-Z0-9-]{1,8}$/)
  const title = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).map((text) => `x${text}`.trim())
  const price = fc.integer({ min: 1, max: 1e9 })
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

  test('what was written comes back, cell by cell', () => {
    const rows = fc.uniqueArray(fc.tuple(sku, title, price), { selector: ([code]) => code, minLength: 1 })
    fc.assert(
      fc.property(rows, (written) => {
        fc.pre(written.every(([, name]) => !name.includes('\0')))
        const lines = written.map(([code, name, cents]) => [code, quoted(name), 'EA', (cents / 100).toFixed(2)].join())
        const read = products(list([HEADER, ...lines]))
        expect(read.map(({ vendorSku, packPriceFen }) => [vendorSku, packPriceFen])).toEqual(
          written.map(([code, , cents]) => [code, cents]),
        )
      }),
    )
  })

  test('a list cut anywhere gives prices that the whole list has, or is refused', () => {
    const text = [HEADER, 'A1,Tea,24/CS,12.50', 'A2,"Milk, fat",EA,7', 'A3,Juice,100 / CS,1234.5', ''].join('\n')
    const whole = new Map(products(list(text.split('\n'))).map((product) => [product.vendorSku, product]))
    // The adapter waits while a list ends in the middle of a line.
    const cuts = Array.from(text, (_, end) => text.slice(0, end)).filter((cut) => !endsMidLine(cut))
    const read = cuts.map((cut) => readPriceList(Buffer.from(cut), SETTINGS)).filter(({ ok }) => ok)
    expect(read).toHaveLength(2)
    for (const product of read.flatMap(products)) expect(product).toEqual(whole.get(product.vendorSku))
  })

  /** Takes out separators of one or more rows, or puts another sign in their place. */
  const losses = fc.uniqueArray(fc.tuple(fc.nat(6), fc.nat(3)), { selector: String, minLength: 1, maxLength: 12 })
  const sign = fc.constantFrom('', 'x', '-', '.', '1', ' ')

  test('separators lost in any rows never give a product other numbers: it is the same, left out, or the list is refused', () => {
    const rows = Array.from({ length: 7 }, (_, i) => [`A${i}`, `Tea ${i}`, '24/CS', `${i + 10}.5`, `${i + 3}`])
    const settings = { columns: { ...SETTINGS.columns, stock: 'Stock' } }
    const write = (cut: readonly (readonly [number, number])[], put: string) =>
      rows.map((cells, row) =>
        cells.reduce((line, cell, i) => line + (cut.some(([r, c]) => r === row && c === i - 1) ? put : ',') + cell),
      )
    const header = 'Code,Name,Pack,Price,Stock'
    const whole = new Set(products(list([header, ...write([], '')], settings)).map((each) => JSON.stringify(each)))
    expect(whole.size).toBe(7)
    fc.assert(
      fc.property(losses, sign, (cut, put) => {
        const damaged = list([header, ...write(cut, put)], settings)
        const offered = damaged.ok ? damaged.products : []
        expect(offered.filter((each) => !whole.has(JSON.stringify(each)))).toEqual([])
        if (damaged.ok) expect(offered).toHaveLength(7 - new Set(cut.map(([row]) => row)).size)
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  test('two rows of the same length that is not that of the header are both left out, with their codes', () => {
    const rows = Array.from({ length: 10 }, (_, i) => `A${i},Tea,EA,${i + 1}`)
    const read = list([HEADER, ...rows, 'B1,Milk,12.50', 'B2,Milk,13.50,', 'B3 Juice,EA,24,', 'B4,Milk,EA,1,'])
    expect(products(read)).toHaveLength(10)
    expect(leftOut(read)).toEqual([
      { reason: 'no_price', count: 3, rows: [12, 13, 14] },
      { reason: 'extra_cells', count: 1, rows: [15] },
    ])
    const short = list(['Code,Name,Pack,Price,Note', ...rows.map((row) => `${row},`), 'B1,Milk,EA,2', 'B2,Milk,EA,3'])
    expect(leftOut(short)).toEqual([{ reason: 'missing_cells', count: 2, rows: [12, 13] }])
    expect(short).toMatchObject({ unreadable: [{ vendorSku: 'B1' }, { vendorSku: 'B2' }] })
  })

  test('one byte that is not a digit may cost products, but gives none another price', () => {
    const rows = Array.from(
      { length: 9 },
      (_, i) =>
        [
          `A${i},"Tea, ${i} ""x""",24/CS,${i + 10}.50`,
          `A${i},"Milk\r\n${i}",EA,"1,${100 + i}.25"`,
          `A${i},Bar,EA,${i}.5`,
        ][i % 3],
    )
    const text = Buffer.from([HEADER, ...rows, ''].join('\r\n'))
    const prices = new Map(
      products(readPriceList(text, SETTINGS)).map(({ vendorSku, packPriceFen }) => [vendorSku, packPriceFen]),
    )
    expect(prices.size).toBe(9)
    fc.assert(
      fc.property(damage(text), (damaged) => {
        const { whole } = wholeLines(damaged, { file: '', columns: {} })
        const read = readPriceList(whole, SETTINGS)
        for (const { vendorSku, packPriceFen } of read.ok ? read.products : []) {
          const known = prices.get(vendorSku)
          // A code that changed has the price of its row.
          expect(known === undefined ? [...prices.values()] : [known]).toContain(packPriceFen)
        }
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  test('a price with a line end in it is not offered at its first part', () => {
    const rows = Array.from({ length: 10 }, (_, i) => `A${i},Tea,EA,${i + 1}`)
    const read = list([HEADER, ...rows, 'B1,Milk,EA,12', '50', 'B2,Milk,EA,1', 'SNACKS', 'B3,Milk,EA,2'])
    expect(products(read).map(({ vendorSku }) => vendorSku)).not.toContain('B1')
    expect(products(read)).toHaveLength(12)
    expect(read).toMatchObject({ unreadable: [{ row: 12, reason: 'missing_cells', vendorSku: 'B1' }] })
  })

  test('a header that lost a separator refuses the list', () => {
    const rows = ['A,Tea,EA,24,1.50,', 'B,Milk,EA,12,2.50,']
    expect(products(list(['Code,Name,Pack,Size,Price,', ...rows]))).toMatchObject([{ packPriceFen: 150 }, {}])
    expect(list(['Code,Name,Pack,SizePrice,', ...rows])).toMatchObject({ ok: false })
    expect(list(['Code,Name,Pack,Price,', ...rows])).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/extra_cells: 2/),
    })
  })

  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof readPriceList(bytes, SETTINGS).ok === 'boolean'),
    )
  })
})

const samples = findSamples('price-lists')

describe.runIf(samples)('real lists', () => {
  const sample = (name: string) => samples?.read(name) ?? Buffer.of()

  test('a wholesaler list: half of its rows have no code', () => {
    const read = readPriceList(sample('us-218-supply-products.csv'), {
      ...SETTINGS,
      columns: { sku: 'SKU', title: 'ProductName', category: 'Subcategory', pack: 'PackSize', pack_price: 'Price' },
    })
    expect(products(read)).toHaveLength(77)
    expect(leftOut(read).map(({ reason, count }) => [reason, count])).toEqual([
      ['unknown_pack', 200],
      // They have no price either.
      ['no_sku', 88],
      ['no_price', 1],
      ['unusable_sku', 1],
      ['conflicting', 10],
    ])
    const bySku = new Map(products(read).map((product) => [product.vendorSku, product]))
    expect(bySku.get('116')).toMatchObject({ units: 'pack', packSize: 1000, packPriceFen: 3664, eachPriceFen: 4 })
    // 6-800 / CS: six rolls of 800 feet
    expect(bySku.get('1080061')).toBeUndefined()
  })

  test('an order form without prices is refused whole, whatever its columns are called', () => {
    const form = sample('us-fairbanks-order-form.csv')
    const columns = { sku: 'UPC', title: 'DORITOS' }
    expect(readPriceList(form, { ...SETTINGS, columns })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('no price column'),
    })
    const priced = { ...columns, each_price: 'CASE' }
    const read = readPriceList(form, { ...SETTINGS, skipRows: 1, columns: priced })
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining('2 times') })
  })
})
