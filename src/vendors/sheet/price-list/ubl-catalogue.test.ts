import { describe, expect, test } from 'vitest'
import type { ProductList } from './listed-products.ts'
import { findSamples } from './samples.test-support.ts'
import { readCatalogue } from './ubl-catalogue.ts'

const SETTINGS = { currency: 'EUR', digits: 2, today: '2026-08-25' }

interface Line {
  readonly sku?: string
  readonly head?: string
  readonly price?: string
  readonly item?: string
}
const PACK = '<OrderableUnit>XBX</OrderableUnit><ContentUnitQuantity unitCode="C62">24</ContentUnitQuantity>'
const amount = (text: string, more = '') =>
  `<RequiredItemLocationQuantity><Price><PriceAmount currencyID="EUR">${text}</PriceAmount>${more}</Price></RequiredItemLocationQuantity>`
const lineXml = ({ sku = 'A1', head = PACK, price = amount('12.00'), item = '' }: Line) =>
  `<CatalogueLine>${head}${price}<Item><Name> Iced
    tea</Name>${item}<SellersItemIdentification><ID>${sku}</ID></SellersItemIdentification></Item></CatalogueLine>`
const catalogue = (lines: readonly Line[], head = '', settings = SETTINGS): ProductList =>
  readCatalogue(Buffer.from(`<Catalogue>${head}${lines.map(lineXml).join('')}</Catalogue>`), settings)
/** The line under test beside enough others that one unreadable line does not refuse the catalogue. */
const withOthers = (line: Line): ProductList =>
  catalogue([line, ...Array.from({ length: 6 }, (_, i) => ({ sku: `B${i}` }))])
const first = (read: ProductList) => (read.ok ? read.products[0] : read.problem)
const reason = (read: ProductList) => (read.ok ? read.leftOut[0]?.reason : read.problem)

describe('a UBL catalogue', () => {
  test('line by line', () => {
    const head = `<OrderableIndicator>true</OrderableIndicator>${PACK}<OrderQuantityIncrementNumeric>2</OrderQuantityIncrementNumeric><MinimumOrderQuantity unitCode="XBX">4</MinimumOrderQuantity>`
    const item =
      '<BrandName>Acme</BrandName><StandardItemIdentification><ID schemeID="0160">04006381333931</ID></StandardItemIdentification>'
    expect(catalogue([{ head, item }])).toEqual({
      ok: true,
      repeated: 0,
      asked: [],
      unreadable: [],
      leftOut: [],
      products: [
        {
          vendorSku: 'A1',
          title: 'Iced tea',
          brand: 'Acme',
          barcode: '04006381333931',
          units: 'pack',
          packSize: 24,
          packPriceFen: 1200,
          eachPriceFen: 50,
          eachPriceDerived: true,
          minOrder: 4,
          increment: 2,
          stock: null,
          isForSale: true,
        },
      ],
    })
  })

  test.each([
    ['', 'each', 1],
    ['<OrderableUnit>C62</OrderableUnit>', 'each', 1],
    ['<OrderableUnit>EA</OrderableUnit><ContentUnitQuantity unitCode="C62">6</ContentUnitQuantity>', 'each', 1],
    ['<OrderableUnit>XCS</OrderableUnit><ContentUnitQuantity unitCode="EA">6</ContentUnitQuantity>', 'pack', 6],
    ['<OrderableUnit>XCS</OrderableUnit><ContentUnitQuantity unitCode="EA">1</ContentUnitQuantity>', 'each', 1],
  ])('%j sells %s of %i', (head, units, packSize) => {
    expect(first(catalogue([{ head }]))).toMatchObject({ units, packSize, packPriceFen: 1200 })
  })

  test.each([
    '<OrderableUnit>XCS</OrderableUnit><ContentUnitQuantity unitCode="KGM">6</ContentUnitQuantity>',
    '<OrderableUnit>XBX</OrderableUnit>',
  ])('%j does not say how many items a pack holds, so it cannot be ordered', (head) => {
    expect(catalogue([{ head }])).toMatchObject({ products: [], unreadable: [{ reason: 'unknown_pack' }] })
  })

  test.each([
    [amount('12', '<BaseQuantity>2</BaseQuantity>'), 600],
    [amount('0.125', '<BaseQuantity unitCode="C62">1</BaseQuantity>'), 300],
    [
      amount(
        '0.125',
        '<BaseQuantity unitCode="C62">1</BaseQuantity><OrderableUnitFactorRate>24</OrderableUnitFactorRate>',
      ),
      300,
    ],
    [amount('12.5000'), 1250],
  ])('%s costs %i a pack', (price, packPriceFen) => {
    expect(first(catalogue([{ price }]))).toMatchObject({ packPriceFen })
  })

  test.each([
    ['unreadable_price', { price: amount('12.505') }],
    ['unreadable_price', { price: amount('12,50') }],
    ['unreadable_price', { price: amount('-1') }],
    ['unreadable_price', { price: amount('10', '<BaseQuantity>3</BaseQuantity>') }],
    ['unreadable_price', { price: amount('10', '<BaseQuantity unitCode="KGM">1</BaseQuantity>') }],
    ['unreadable_price', { price: amount('10', '<OrderableUnitFactorRate>10</OrderableUnitFactorRate>') }],
    ['no_price', { price: amount('0.00') }],
    ['no_price', { price: '' }],
    ['other_currency', { price: amount('12').replace('EUR', 'NOK') }],
    ['unknown_unit', { head: '<OrderableUnit>LBR</OrderableUnit>' }],
    ['unreadable_quantity', { head: `${PACK}<MinimumOrderQuantity unitCode="KGM">24</MinimumOrderQuantity>` }],
    ['unreadable_quantity', { head: `${PACK}<OrderQuantityIncrementNumeric>0.5</OrderQuantityIncrementNumeric>` }],
    ['withdrawn', { head: `<ActionCode>Delete</ActionCode>${PACK}` }],
    ['unusable_sku', { sku: 'A 1' }],
    ['no_sku', { sku: '' }],
  ])('%s leaves a line out', (expected, line) => {
    expect(reason(withOthers(line))).toBe(expected)
  })

  test('a least quantity in items is rounded up to packs', () => {
    const head = `${PACK}<MinimumOrderQuantity unitCode="C62">25</MinimumOrderQuantity>`
    expect(first(catalogue([{ head }]))).toMatchObject({ minOrder: 2 })
  })

  test('a price from a larger quantity on is not the price', () => {
    const bulk = amount('9').replace('<Price>', '<MinimumQuantity>10</MinimumQuantity><Price>')
    expect(first(catalogue([{ price: bulk + amount('12') }]))).toMatchObject({ packPriceFen: 1200 })
  })

  test('a product that cannot be ordered today is not offered', () => {
    const period = (name: string, start: string, end: string) =>
      `<${name}><StartDate>${start}</StartDate><EndDate>${end}</EndDate></${name}>`
    const shelf = (read: ProductList) => read.ok && read.products.map(({ isForSale }) => isForSale)
    const heads = [
      `<OrderableIndicator>false</OrderableIndicator>${PACK}`,
      PACK + period('LineValidityPeriod', '2025-01-01', '2026-08-24'),
      PACK + period('LineValidityPeriod', '2026-08-26', '2027-01-01'),
      PACK + period('LineValidityPeriod', '2026-08-25', '2026-08-25Z'),
    ]
    expect(shelf(catalogue(heads.map((head, i) => ({ head, sku: `A${i}` }))))).toEqual([false, false, false, true])
    expect(shelf(catalogue([{}], period('ValidityPeriod', '2025-01-01', '2025-12-31')))).toEqual([false])
    const old = amount('12', period('ValidityPeriod', '2025-01-01', '2025-12-31'))
    expect(shelf(catalogue([{ price: old }]))).toEqual([false])
    expect(first(catalogue([{ price: old + amount('13') }]))).toMatchObject({ packPriceFen: 1300, isForSale: true })
  })

  test.each([
    ['<Order/>', /is Order, not a Catalogue/],
    ['<Catalogue><ActionCode>Delete</ActionCode></Catalogue>', /withdraws/],
    ['<Catalogue/>', /no rows/],
    ['<Catalogue>', /not well-formed/],
  ])('%s is refused', (text, problem) => {
    expect(readCatalogue(Buffer.from(text), SETTINGS)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })

  test('a catalogue in another currency is refused whole', () => {
    expect(first(catalogue([{}, { sku: 'A2' }], '', { ...SETTINGS, currency: 'USD' }))).toMatch(/other_currency: 2/)
  })
})

const samples = findSamples('peppol')

describe.runIf(samples)('Peppol examples', () => {
  const sample = (name: string) => samples?.read(name) ?? Buffer.of()

  test('catalogue-1: boxes of ten', () => {
    const read = readCatalogue(sample('catalogue-1.xml'), { currency: 'NOK', digits: 2, today: '2020-01-01' })
    expect(first(read)).toMatchObject({
      vendorSku: '2451015',
      title: 'Ballpoint pen. Blue 0.7 mm',
      units: 'pack',
      packSize: 10,
      packPriceFen: 2000,
      eachPriceFen: 200,
      minOrder: 1,
      increment: 1,
      isForSale: true,
    })
    expect(read).toMatchObject({
      products: [{}, { barcode: '05790000436040' }, { units: 'each' }, { packSize: 2500, minOrder: 1 }],
      leftOut: [{ reason: 'unknown_unit', count: 3, rows: [5, 6, 7] }],
    })
    const later = readCatalogue(sample('catalogue-1.xml'), { currency: 'NOK', digits: 2, today: '2026-08-25' })
    expect(first(later)).toMatchObject({ isForSale: false })
  })

  test('Catalogue_Example: one line by the pound is left out', () => {
    const read = readCatalogue(sample('Catalogue_Example.xml'), { currency: 'EUR', digits: 2, today: '2018-11-01' })
    expect(read).toMatchObject({
      products: [{ vendorSku: 'MNTR012', units: 'each', packPriceFen: 9000, isForSale: true }],
      leftOut: [{ reason: 'unknown_unit', rows: [1] }],
    })
  })
})
