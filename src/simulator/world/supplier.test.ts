import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../kernel/clock.ts'
import { makeProducts } from './products.ts'
import { createSupplier, logisticsAt, orderStatusAt } from './supplier.ts'
import type { OrderItem, OrderRequest, SupplierOrder } from './supplier.ts'

const NOW = Date.parse('2026-09-10T14:00:00+08:00')
const products = makeProducts(1)
const order = (
  outOrderNo: string,
  items: readonly OrderItem[] = [pack('SP1001', 2)],
  to: OrderRequest['to'] = { address: '上海市浦东新区' },
): OrderRequest => ({ outOrderNo, items, to })
function pack(goodsNo: string, num: number): OrderItem {
  return { goodsNo, num, unitType: 'PACK' }
}
const placed = (supplier: ReturnType<typeof createSupplier>, request: OrderRequest, at = NOW): SupplierOrder => {
  const placement = supplier.place(at, request)
  if (!placement.ok) throw new Error(placement.text)
  return placement.order
}
const goodsNoWhere = (holds: (product: (typeof products)[number]) => boolean) =>
  products.find(holds)?.supply.goodsNo ?? ''

describe('placing', () => {
  test('the same outOrderNo places nothing again, also with other lines', () => {
    const supplier = createSupplier(1, products)
    const first = placed(supplier, order('po_1'))
    const stock = supplier.stockOf('SP1001', NOW)
    const again = supplier.place(NOW + HOUR, order('po_1', [pack('SP1002', 9)]))
    expect(again).toEqual({ ok: true, order: first, isRepeated: true })
    expect(supplier.orders()).toHaveLength(1)
    expect(supplier.stockOf('SP1001', NOW)).toBe(stock)
  })

  test('stock counts units and comes back in the mornings, never above the start', () => {
    const supplier = createSupplier(1, products)
    const full = supplier.stockOf('SP1001', NOW)
    placed(supplier, order('po_1', [pack('SP1001', 2), { goodsNo: 'SP1001', num: 5, unitType: 'EACH' }]))
    expect(supplier.stockOf('SP1001', NOW)).toBe(full - 53)
    expect(supplier.stockOf('SP1001', NOW + 10 * DAY)).toBe(full)
  })

  test('boxes cost the box price, singles their own or the share of the box', () => {
    const supplier = createSupplier(1, products)
    const [water, yibao] = products.map((product) => product.supply)
    expect(placed(supplier, order('po_1', [pack('SP1001', 3)])).totalFen).toBe(3 * (water?.packPriceFen ?? 0))
    expect(placed(supplier, order('po_2', [{ goodsNo: 'SP1001', num: 7, unitType: 'EACH' }])).totalFen).toBe(7 * 120)
    expect(placed(supplier, order('po_3', [{ goodsNo: 'SP1002', num: 7, unitType: 'EACH' }])).totalFen).toBe(
      7 * (yibao?.unitPriceFen ?? 0),
    )
  })

  test.each([
    [40400, 'no such goods', () => order('po', [pack('SP0000', 1)])],
    [
      60001,
      'off the shelf',
      () =>
        order('po', [
          pack(
            goodsNoWhere((product) => !product.supply.onShelf),
            1,
          ),
        ]),
    ],
    [60002, 'not enough', () => order('po', [pack('SP1001', 90_000)])],
    [60002, 'not enough over two lines', () => order('po', [pack('SP1001', 200), pack('SP1001', 200)])],
    [60003, 'too dear', () => order('po', [pack('SP1029', 3), pack('SP1005', 2)])],
    [60004, 'too far', () => order('po', [pack('SP1001', 1)], { address: '西藏拉萨' })],
    [60004, 'no such site', () => order('po', [pack('SP1001', 1)], { siteId: 'S99' })],
    [
      40001,
      'no box of a single',
      () =>
        order('po', [
          pack(
            goodsNoWhere((product) => product.supply.packNum === 1),
            1,
          ),
        ]),
    ],
  ])('%d: %s, and nothing is placed', (code, _, request) => {
    const supplier = createSupplier(1, products, 50_000)
    expect(supplier.place(NOW, request())).toMatchObject({ ok: false, code })
    expect(supplier.orders()).toEqual([])
    expect(supplier.stockOf('SP1001', NOW)).toBe(products[0]?.supply.stockNum)
  })

  test('credit is bound until products arrive', () => {
    const supplier = createSupplier(1, products, 8000)
    const first = placed(supplier, order('po_1'))
    expect(supplier.place(NOW, order('po_2'))).toMatchObject({ ok: false, code: 60003 })
    expect(supplier.place(first.arrivedAt, order('po_2')).ok).toBe(true)
  })
})

describe('an order in transit', () => {
  test('goes 10, 20, 30, 40 and lists each step once it happened', () => {
    const one = placed(createSupplier(1, products), order('po_1'))
    const seen: number[] = []
    for (let at = NOW; at < NOW + 12 * DAY; at += HOUR) {
      const status = orderStatusAt(one, at)
      if (seen.at(-1) !== status) seen.push(status)
      expect(logisticsAt(one, at).every(({ time }) => Date.parse(`${time.replace(' ', 'T')}+08:00`) <= at)).toBe(true)
    }
    expect(seen).toEqual([10, 20, 30, 40])
    expect(logisticsAt(one, one.arrivedAt)).toHaveLength(4)
  })

  test('lead times differ, about two days on average', () => {
    const supplier = createSupplier(1, products, Infinity)
    const days = Array.from({ length: 300 }, (_, i) => {
      const one = placed(supplier, order(`po_${i}`, [{ goodsNo: 'SP1001', num: 1, unitType: 'EACH' }]))
      return (one.arrivedAt - one.placedAt) / DAY
    })
    const mean = days.reduce((sum, n) => sum + n, 0) / days.length
    expect(mean).toBeGreaterThan(1.5)
    expect(mean).toBeLessThan(2.5)
    expect(Math.min(...days)).toBeGreaterThan(0.4)
    expect(Math.max(...days)).toBeLessThan(12)
  })

  test('the supplier may cancel until arrival: 90, stock and credit return', () => {
    const supplier = createSupplier(1, products, 8000)
    const one = placed(supplier, order('po_1'))
    expect(supplier.cancel(NOW + HOUR, 'po_1')).toBe(true)
    expect(orderStatusAt(one, NOW + 2 * HOUR)).toBe(90)
    expect(logisticsAt(one, NOW + 9 * DAY).at(-1)?.text).toBe('订单已取消')
    expect(supplier.stockOf('SP1001', NOW + HOUR)).toBe(products[0]?.supply.stockNum)
    expect(supplier.place(NOW + HOUR, order('po_2')).ok).toBe(true)
    expect(supplier.cancel(NOW + HOUR, 'po_1')).toBe(false)
    expect(supplier.cancel(NOW + HOUR, 'po_9')).toBe(false)
    expect(supplier.cancel(NOW + 20 * DAY, 'po_2')).toBe(false)
  })

  test('order numbers count up within a local day', () => {
    const supplier = createSupplier(1, products)
    expect(placed(supplier, order('po_1')).orderNo).toBe('AS2026091000001')
    expect(placed(supplier, order('po_2')).orderNo).toBe('AS2026091000002')
    expect(placed(supplier, order('po_3'), NOW + 10 * HOUR).orderNo).toBe('AS2026091100001')
  })
})
