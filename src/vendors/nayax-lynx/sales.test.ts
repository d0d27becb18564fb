import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  laneRow,
  lanesOf,
  MACHINE,
  productRow,
  productsOf,
  unreadableOf,
  saleRow,
  USD,
  valueOf,
} from './fixtures.test-support.ts'
import { type SalesReading, cashOf, parseProductLine, readLastSales } from './sales.ts'

const READING: SalesReading = {
  machineId: MACHINE,
  currency: USD,
  lanes: lanesOf([laneRow(1), laneRow(2), laneRow(3, { NayaxProductID: null }), laneRow(4, { NayaxProductID: 502 })]),
  products: productsOf([productRow(501), productRow(502, { ProductCostPrice: 2 })]),
}
const read = (rows: readonly object[], reading = READING) => readLastSales(rows, reading)
const sale = (more: object, reading = READING) => valueOf(read([saleRow(1, more)], reading)).records[0]
const refusedProblem = (more: object) => {
  const rows = [...Array(9).keys()].map((n) => saleRow(n + 2))
  return unreadableOf(read([saleRow(1, more), ...rows]))
}

describe('last sales', () => {
  test('become ledger records', () => {
    expect(sale({})).toEqual({
      orderNo: '4-40000000001',
      status: 'SETTLED',
      statusLabel: 'Credit Card',
      settled: true,
      locationId: MACHINE,
      locationName: 'Hall',
      totalFen: 150,
      createdAt: Date.UTC(2026, 8, 19, 10, 20, 30, 317),
      createdAtRaw: '2026-09-19T10:20:30.317',
      lines: [{ vendorSku: '501', priceFen: 150, costFen: 60, status: 'paid' }],
    })
  })

  test('one line of the text is one unit', () => {
    const text = 'Soda 501(1, A1 = 1.50)\nSoda (0.5 l)(2 = 2.00)\nOther (9 = 0.75)\n'
    expect(sale({ ProductName: text, SettlementValue: 4.25, MultivendNumverOfProducts: 7 })?.lines).toEqual([
      { vendorSku: '501', priceFen: 150, costFen: 60, status: 'paid' },
      // Its cost is as high as its price: the platform does not know it.
      { vendorSku: '502', priceFen: 200, costFen: null, status: 'paid' },
      { vendorSku: 'mdb-7001-9', priceFen: 75, costFen: null, status: 'paid' },
    ])
  })

  test.each([
    ['Soda(1 = 1.50)', [{ name: 'Soda', mdbCode: '1', paCode: undefined, price: '1.50' }]],
    ['Soda (01, A1 = 1.50) ', [{ name: 'Soda', mdbCode: '1', paCode: 'A1', price: '1.50' }]],
    ['Soda (cold)(1,A1=1.50)', [{ name: 'Soda (cold)', mdbCode: '1', paCode: 'A1', price: '1.50' }]],
    ['B Stickers $3(3, 3 = 0.00)', [{ name: 'B Stickers $3', mdbCode: '3', paCode: '3', price: '0.00' }]],
    ['(0 = 2)', [{ name: '', mdbCode: '0', paCode: undefined, price: '2' }]],
    ['Soda(, A1 = 1.50)', [{ name: 'Soda', mdbCode: undefined, paCode: 'A1', price: '1.50' }]],
    ['Soda', []],
    ['Soda (500 ml)', []],
    ['Soda (500)', []],
    ['Soda(0,A1)', []],
    ['Soda( = 1.50)', []],
    ['Soda(1 = 1.50) extra', []],
    ['', []],
  ])('%j is parsed to %j', (line, expected) => {
    expect(parseProductLine(line)).toEqual(expected)
  })

  test('a text without codes: units by the counts, at least one, the total split over them', () => {
    const units = (more: object) => sale({ ProductName: 'Water', SettlementValue: 1, ...more })?.lines
    expect(units({})).toEqual([{ vendorSku: 'unmapped', priceFen: 100, costFen: null, status: 'paid' }])
    const prices = (more: object) => units(more)?.map(({ priceFen }) => priceFen)
    expect(prices({ MultivendNumverOfProducts: 3, Quantity: 9 })).toEqual([33, 33, 34])
    expect(prices({ Quantity: 2 })).toEqual([50, 50])
    expect(prices({ Quantity: 0.37 })).toEqual([100])
    expect(prices({ ProductName: null, MultivendNumverOfProducts: null, Quantity: null })).toEqual([100])
  })

  test('printed prices that do not add up to what was settled only say how to split it', () => {
    const text = 'Cola(1 = 2.00)\nWater(2 = 1.00)\n'
    const prices = (settled: number) =>
      sale({ ProductName: text, SettlementValue: settled })?.lines.map(({ priceFen }) => priceFen)
    expect(prices(3)).toEqual([200, 100])
    expect(prices(2.4)).toEqual([160, 80])
    expect(prices(0)).toEqual([200, 100])
  })

  test('a sale keeps its product when the lane gets another one', () => {
    const products = productsOf([productRow(501, { ProductName: 'Cola' }), productRow(502, { ProductName: 'Water' })])
    const skuOf = (text: string) =>
      sale({ ProductName: text, SettlementValue: 1.5 }, { ...READING, products })?.lines[0]?.vendorSku
    // Lane 4 holds product 502 now.
    expect(skuOf('Cola(4 = 1.50)')).toBe('501')
    expect(skuOf('Water(4 = 1.50)')).toBe('502')
    expect(skuOf('Anything(4 = 1.50)')).toBe('502')
    expect(skuOf('Cola(9 = 1.50)')).toBe('mdb-7001-9')
  })

  test('a printed price that is none: the total is split over the lines', () => {
    const text = 'Soda(1 = 1.505)\nSoda(2 = 1.50)\n'
    expect(sale({ ProductName: text, SettlementValue: 3.01 })?.lines.map(({ priceFen }) => priceFen)).toEqual([
      150, 151,
    ])
    expect(sale({ ProductName: 'Soda(1 = -1.50)' })?.lines).toMatchObject([{ priceFen: 150 }])
    const back = sale({ ProductName: 'Soda(1 = 3.00)\nBack(2 = -1.50)', SettlementValue: 1.5 })
    expect(back?.lines).toMatchObject([{ priceFen: 75 }, { priceFen: 75 }])
  })

  test('money was taken, so printed zeros are no prices', () => {
    expect(sale({ ProductName: 'Soda(1 = 0.00)\nSoda(2 = 0.00)' })?.lines).toMatchObject([
      { priceFen: 75 },
      { priceFen: 75 },
    ])
    expect(sale({ ProductName: 'Soda(1 = 0.00)', SettlementValue: 0 })?.lines).toMatchObject([{ priceFen: 0 }])
    expect(sale({ ProductName: 'Soda(1 = 1.50)\nGift(2 = 0.00)' })?.lines).toMatchObject([
      { priceFen: 150 },
      { priceFen: 0 },
    ])
  })

  test('a name that is no text does not cost the sale', () => {
    expect(sale({ PaymentMethod: 7, MachineName: {} })).toMatchObject({ totalFen: 150 })
  })

  test('settled with 0 is unpaid: a test, a cancelled or a free vend', () => {
    expect(sale({ SettlementValue: 0 })).toMatchObject({
      status: 'UNSETTLED',
      settled: false,
      totalFen: 0,
      lines: [{ vendorSku: '501', priceFen: 150, status: 'unpaid' }],
    })
  })

  test('a code that several products share is resolved by the second code', () => {
    const lanes = lanesOf([laneRow(1), laneRow(2, { MDBCode: 1 }), laneRow(5, { MDBCode: 1, NayaxProductID: null })])
    const sku = (ProductName: string) => sale({ ProductName }, { ...READING, lanes })?.lines[0]?.vendorSku
    expect(sku('Soda(1, A2 = 1.50)')).toBe('502')
    expect(sku('Soda(1, A9 = 1.50)')).toBe('mdb-7001-1')
    expect(sku('Soda(1 = 1.50)')).toBe('mdb-7001-1')
    expect(sku('Soda(, A2 = 1.50)')).toBe('502')
    expect(sku('Soda(, A9 = 1.50)')).toBe('unmapped')
  })

  test('two lanes of one product are no doubt', () => {
    expect(sale({ ProductName: 'Soda(4 = 1.50)' })?.lines[0]?.vendorSku).toBe('502')
  })

  test.each([
    [{ CurrencyCode: 'EUR' }, 'it is in EUR, not in USD'],
    [{ CurrencyCode: 'string' }, 'its currency cannot be read'],
    [{ SettlementValue: -1 }, 'its total cannot be read'],
    [{ SettlementValue: null }, 'its total cannot be read'],
    [{ SettlementValue: '1.5' }, 'its total cannot be read'],
    [{ SettlementValue: 1.005 }, 'its total cannot be read'],
    [{ TransactionID: null }, 'its number cannot be read'],
    [{ TransactionID: 2 ** 60 }, 'its number cannot be read'],
    [{ MachineID: 1 }, 'its machine cannot be read'],
    [{ ProductName: 'Water', MultivendNumverOfProducts: 5000 }, 'its quantity cannot be read'],
    [{ ProductName: 'Water', Quantity: 1e300 }, 'its quantity cannot be read'],
    [{ ProductName: 5 }, 'its lines cannot be read'],
  ])('%j is refused alone: %s', (more, problem) => {
    expect(refusedProblem(more)).toMatchObject([{ kind: 'sale', problem }])
  })

  test('a refused sale keeps the number it would have had', () => {
    expect(refusedProblem({ SettlementValue: -1 })).toMatchObject([{ id: '4-40000000001' }])
  })

  test('a currency or machine that is missing is the requested one', () => {
    expect(sale({ CurrencyCode: null, MachineID: null })).toMatchObject({ locationId: MACHINE, totalFen: 150 })
    expect(sale({ CurrencyCode: ' usd' })).toMatchObject({ totalFen: 150 })
  })

  test('a time that cannot be read is unknown, and the sale still counts', () => {
    expect(sale({ AuthorizationDateTimeGMT: 'soon' })).toMatchObject({ createdAt: null, createdAtRaw: 'soon' })
    expect(sale({ AuthorizationDateTimeGMT: null })).toMatchObject({ createdAt: null, createdAtRaw: '' })
  })

  test('a full list begins with its oldest sale; a shorter one is complete', () => {
    const rows = (count: number) =>
      [...Array(count).keys()].map((n) =>
        saleRow(n, { AuthorizationDateTimeGMT: `2026-09-19T10:${String(59 - (n % 60)).padStart(2, '0')}:00.5` }),
      )
    expect(valueOf(read(rows(99))).completeFrom).toBeUndefined()
    expect(valueOf(read(rows(100))).completeFrom).toBe(Date.UTC(2026, 8, 19, 10, 0, 0, 500))
    expect(valueOf(read([])).completeFrom).toBeUndefined()
    const undated = [...Array(100).keys()].map((n) => saleRow(n, { AuthorizationDateTimeGMT: null }))
    expect(read(undated)).toMatchObject({ ok: false, reason: 'unknown' })
  })

  test('the same sale twice is one', () => {
    expect(valueOf(read([saleRow(1), saleRow(1), saleRow(2)])).records).toHaveLength(2)
  })

  test('split totals add up, whatever the counts', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 100 }), (cents, units) => {
        const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
        const record = sale({ ProductName: 'x', SettlementValue: Number(text), MultivendNumverOfProducts: units })
        expect(record?.lines).toHaveLength(units)
        expect(record?.lines.reduce((sum, { priceFen }) => sum + priceFen, 0)).toBe(cents)
      }),
    )
  })
})

describe('cash', () => {
  const READ_AT = Date.UTC(2026, 8, 20)
  const at = (hour: number) => ({ AuthorizationDateTimeGMT: `2026-09-19T${hour}:00:00` })
  const ms = (hour: number) => Date.UTC(2026, 8, 19, hour)
  const cash = (rows: readonly object[]) => cashOf(valueOf(read(rows)), READ_AT)

  test('is what was paid in cash; cards are not, and free vends are nothing', () => {
    const rows = [
      saleRow(1, { ...at(10), PaymentMethod: 'Cash', SettlementValue: 1.5 }),
      saleRow(2, { ...at(11), PaymentMethod: 'Credit Card' }),
      saleRow(3, { ...at(12), PaymentMethod: ' cash ', SettlementValue: 2 }),
      saleRow(4, { ...at(13), PaymentMethod: 'Cash', SettlementValue: 0 }),
    ]
    expect(cash(rows)).toEqual({
      fromMs: ms(10),
      untilMs: READ_AT,
      taken: [
        { at: ms(10), amountFen: 150 },
        { at: ms(12), amountFen: 200 },
      ],
    })
    expect(cash([])).toEqual({ fromMs: READ_AT, untilMs: READ_AT, taken: [] })
  })

  test('of a sale without a payment method is unknown, and of one without a time nothing is said', () => {
    expect(cash([saleRow(1, { ...at(10), PaymentMethod: null })])?.taken).toEqual([{ at: ms(10), amountFen: null }])
    const undated = { AuthorizationDateTimeGMT: 'soon', PaymentMethod: 'Cash' }
    expect(cash([saleRow(1, undated), saleRow(2, at(10))])).toBeUndefined()
    expect(cash([saleRow(1, { ...undated, PaymentMethod: 'Credit Card' }), saleRow(2, at(10))])).toBeDefined()
  })

  test('a full list is known from its oldest sale on', () => {
    const rows = [...Array(100).keys()].map((n) => saleRow(n + 1, { ...at(10 + (n % 10)), PaymentMethod: 'Cash' }))
    expect(cash(rows)).toMatchObject({ fromMs: ms(10), untilMs: READ_AT })
  })
})
