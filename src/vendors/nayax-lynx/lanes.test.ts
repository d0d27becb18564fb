import { describe, expect, test } from 'vitest'
import {
  LANE_READING,
  laneRow,
  lanesOf,
  MACHINE,
  productRow,
  productsOf,
  unreadableOf,
  valueOf,
} from './fixtures.test-support.ts'
import { readProductMap, slotsOf } from './lanes.ts'
import { countPicked, planPickList, readPickList, withPickListStock } from './pick-list.ts'

const slots = (rows: readonly object[], products: readonly object[] = []) => {
  const result = readProductMap(rows, LANE_READING)
  return slotsOf(valueOf(result).lanes, unreadableOf(result), productsOf(products))
}
const lane = (more: object) => lanesOf([laneRow(1, more)])[0]

describe('lanes', () => {
  test('hold what is not missing', () => {
    expect(lane({})).toMatchObject({
      machineProductId: '9001',
      productId: '501',
      mdbCode: '1',
      paCode: 'A1',
      code: '1/A1',
      priceFen: 150,
      capacity: 10,
      stock: 6,
      stockAt: Date.UTC(2026, 8, 19, 10, 20, 30, 120),
    })
  })

  test.each([
    [{ MissingStockByMDB: 12 }, 0],
    [{ MissingStockByMDB: -3 }, 10],
    [{ PAR: null }, null],
    [{ PAR: 0 }, null],
    [{ MissingStockByMDB: null, MissingStockByDEX: null }, null],
    [{ MissingStockByMDB: null, MissingStockByDEX: 1 }, 9],
    [{ MissingStockByDEX: null }, 6],
  ])('%j: stock %s', (more, stock) => {
    expect(lane(more)?.stock).toBe(stock)
  })

  test('the newer count of MDB and DEX counts, MDB when that is not known', () => {
    const stock = (mdb: string | null, dex: string | null) =>
      lane({ MissingStockByDEX: 1, MDBMissingStockLastUpdated: mdb, DEXMissingStockLastUpdated: dex })?.stock
    expect(stock('2026-09-01T00:00:00', '2026-09-02T00:00:00Z')).toBe(9)
    expect(stock('2026-09-03T00:00:00', '2026-09-02T00:00:00Z')).toBe(6)
    expect(stock('2026-09-03T00:00:00', null)).toBe(6)
    expect(stock(null, '2026-09-02T00:00:00')).toBe(9)
    expect(stock(null, null)).toBe(6)
    // A clock that is years ahead does not win for ever.
    expect(stock('2026-09-03T00:00:00', '2037-01-01T00:00:00')).toBe(6)
  })

  test('the configured price is the price, and no other stands in for it', () => {
    const price = (more: object, priceField: 'CashPrice' | 'CreditCardPrice' | 'MachinePrice') =>
      lanesOf([laneRow(1, more)], { ...LANE_READING, priceField })[0]?.priceFen
    expect(price({}, 'CreditCardPrice')).toBe(175)
    expect(price({ CashPrice: null }, 'CashPrice')).toBeNull()
    expect(price({ MachinePrice: 0 }, 'MachinePrice')).toBe(0)
  })

  test('have a code for people whatever is filled in', () => {
    expect(lane({ PACode: '1' })?.code).toBe('1')
    expect(lane({ MDBCode: null })?.code).toBe('A1')
    expect(lane({ MDBCode: null, PACode: ' ' })?.code).toBe('B1')
    expect(lane({ MDBCode: null, PACode: null, OperatorButtonCode: null })?.code).toBe('9001')
    expect(lane({ MDBCode: 0, PACode: null })?.code).toBe('0')
  })

  test('of another machine are refused', () => {
    const rows = [...Array(9).keys()].map((n) => laneRow(n + 1))
    const result = readProductMap([...rows, laneRow(10, { MachineID: 1 })], LANE_READING)
    expect(unreadableOf(result)).toMatchObject([{ id: '510', problem: 'its machine cannot be read' }])
  })

  test('too many unreadable ones fail the read', () => {
    const rows = [laneRow(1), laneRow(2), laneRow(3), laneRow(4, { PAR: 'string' })]
    expect(readProductMap(rows, LANE_READING)).toMatchObject({ ok: false, reason: 'unknown' })
  })
})

describe('slots', () => {
  test('take title, barcode and picture from the product', () => {
    expect(slots([laneRow(1)], [productRow(501)]).slots).toEqual([
      {
        vendorSku: '501',
        title: 'Soda 501',
        barcode: '40000501',
        imageUrl: 'https://pictures.test/501.png',
        priceFen: 150,
        stock: 6,
        capacity: 10,
        asOf: Date.UTC(2026, 8, 19, 10, 20, 30, 120),
        lanes: [{ code: '1/A1', priceFen: 150, stock: 6, capacity: 10 }],
      },
    ])
    expect(slots([laneRow(1)]).slots[0]).toMatchObject({ title: 'lane 1' })
    expect(slots([laneRow(1, { DEXProductName: null })]).slots[0]).toMatchObject({ title: 'Product 501' })
  })

  test('of several lanes are summed, and the lanes kept', () => {
    const two = [laneRow(1), laneRow(2, { NayaxProductID: 501, MachinePrice: 2, PAR: 5, MissingStockByMDB: 5 })]
    expect(slots(two).slots).toMatchObject([
      {
        vendorSku: '501',
        priceFen: 150,
        stock: 6,
        capacity: 15,
        lanes: [
          { code: '1/A1', priceFen: 150, stock: 6, capacity: 10 },
          { code: '2/A2', priceFen: 200, stock: 0, capacity: 5 },
        ],
      },
    ])
  })

  test('of several lanes the newest count dates the product, and each lane has its own date', () => {
    const at = '2026-09-19T11:00:00'
    const two = [laneRow(1), laneRow(2, { NayaxProductID: 501, MDBMissingStockLastUpdated: at })]
    const [slot] = slots(two).slots
    expect(slot?.lanes.map(({ asOf }) => asOf)).toEqual([
      Date.UTC(2026, 8, 19, 10, 20, 30, 120),
      Date.UTC(2026, 8, 19, 11),
    ])
    expect(slot?.asOf).toBe(Date.UTC(2026, 8, 19, 11))
  })

  test('one unknown lane makes the sum unknown', () => {
    const two = [laneRow(1), laneRow(2, { NayaxProductID: 501, MissingStockByMDB: null, MissingStockByDEX: null })]
    expect(slots(two).slots).toMatchObject([{ stock: null, capacity: 20, asOf: null }])
    const noPar = [laneRow(1), laneRow(2, { NayaxProductID: 501, PAR: null })]
    expect(slots(noPar).slots).toMatchObject([{ stock: null, capacity: null }])
  })

  test('lanes without a product are left out and counted', () => {
    const result = readProductMap([laneRow(1), laneRow(2, { NayaxProductID: null })], LANE_READING)
    expect(valueOf(result).notices).toEqual(['1 lanes without a product were left out'])
    expect(slots([laneRow(1), laneRow(2, { NayaxProductID: 0 })]).slots).toHaveLength(1)
  })

  test('a lane listed twice counts once', () => {
    expect(slots([laneRow(1), laneRow(1)]).slots).toMatchObject([{ stock: 6 }])
  })

  test('without a price in any lane are refused, with one in some lane they have that', () => {
    expect(slots([laneRow(1, { MachinePrice: null })])).toMatchObject({
      slots: [],
      unreadable: [{ id: '501', problem: 'its price is not set' }],
    })
    const second = [laneRow(1, { MachinePrice: null }), laneRow(2, { NayaxProductID: 501 })]
    expect(slots(second).slots).toMatchObject([{ priceFen: 150, lanes: [{ priceFen: null }, { priceFen: 150 }] }])
  })

  test('with an unreadable lane are left out whole', () => {
    const rows = [...Array(9).keys()].map((n) => laneRow(n + 1))
    const all = slots([...rows, laneRow(10, { NayaxProductID: 501, MachinePrice: 1.005 })])
    expect(all.slots.map(({ vendorSku }) => vendorSku)).not.toContain('501')
    expect(all.slots).toHaveLength(8)
  })
})

describe('pick lists', () => {
  const item = (more: object = {}) => ({
    NayaxProductID: 501,
    MachineID: Number(MACHINE),
    MDBCode: 1,
    PACode: 'A1',
    PAR: 10,
    MissingStock: 7,
    OnHandStock: 3,
    ProductName: 'Soda',
    ...more,
  })
  const unknown = { MissingStockByMDB: null, MissingStockByDEX: null }
  const filled = (rows: readonly object[], items: readonly object[]) =>
    withPickListStock(lanesOf(rows), valueOf(readPickList(items, MACHINE)), 77)

  test('tell the stock of lanes that do not tell it themselves', () => {
    expect(filled([laneRow(1, unknown)], [item()])).toMatchObject([{ stock: 3, stockAt: 77 }])
    expect(filled([laneRow(1)], [item()])).toMatchObject([{ stock: 6 }])
    expect(filled([laneRow(1, unknown)], [item({ OnHandStock: null })])).toMatchObject([{ stock: null }])
    expect(filled([laneRow(1, unknown)], [item({ OnHandStock: 99 })])).toMatchObject([{ stock: 10 }])
    expect(filled([laneRow(1, { ...unknown, PAR: null })], [item()])).toMatchObject([{ stock: 3, capacity: 10 }])
  })

  test('that do not say which lane they mean tell nothing', () => {
    expect(filled([laneRow(1, unknown)], [item(), item()])).toMatchObject([{ stock: null }])
    expect(filled([laneRow(1, unknown)], [item({ MDBCode: 2 })])).toMatchObject([{ stock: null }])
  })

  test('are set for every lane: what is not asked for is not picked', () => {
    const lanes = lanesOf([
      laneRow(1),
      laneRow(2, { NayaxProductID: 501 }),
      laneRow(3),
      laneRow(4, { NayaxProductID: 0 }),
    ])
    const plan = planPickList(MACHINE, lanes, [
      { vendorSku: '501', quantity: 6 },
      { vendorSku: '999', quantity: 1 },
    ])
    expect(plan).toEqual({
      body: [
        {
          MachineId: 7001,
          Products: [
            { MachineProductId: 9001, PickQty: 4 },
            { MachineProductId: 9002, PickQty: 2 },
            { MachineProductId: 9003, PickQty: 0 },
          ],
        },
      ],
      lanes: new Map([
        ['501', ['9001', '9002']],
        ['999', []],
      ]),
    })
    if (!plan) throw new Error('no plan')
    const reply = (...ids: readonly unknown[]) => [
      { MachineID: Number(MACHINE), Products: ids.map((id) => ({ MachineProductID: id })) },
    ]
    const count = (json: unknown) => valueOf(countPicked(json, MACHINE, plan)).count
    expect(count(reply(9001, 9002, 9003))).toBe(1)
    expect(count(reply(9001))).toBe(0)
    expect(count([{ MachineID: 1, Products: [{ MachineProductID: 9001 }, { MachineProductID: 9002 }] }])).toBe(0)
    expect(count([{ MachineID: Number(MACHINE), Products: null }])).toBe(0)
    expect(countPicked({ Ok: false }, MACHINE, plan)).toMatchObject({ reason: 'rejected' })
    expect(countPicked({}, MACHINE, plan)).toMatchObject({ reason: 'unknown' })
  })

  test('more than there is room for goes to the first lane', () => {
    const plan = planPickList(MACHINE, lanesOf([laneRow(1), laneRow(2, { NayaxProductID: 501, PAR: null })]), [
      { vendorSku: '501', quantity: 9 },
    ])
    expect(plan?.body[0].Products.map(({ PickQty }) => PickQty)).toEqual([9, 0])
  })
})
