import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { acmeSupplyUpstream, APP_KEY, APP_SECRET, rawGoods } from '../../../test/contracts/acme-supply-upstream.ts'
import type { AcmeSupplyUpstream } from '../../../test/contracts/acme-supply-upstream.ts'
import { ALL_TROUBLES, expectFailure, expectValue, granted, ROWS } from '../../../test/contracts/adapter-kit.ts'
import type { Trouble } from '../../../test/contracts/adapter-kit.ts'
import { type FaultPlan, type Received, gateway } from '../../../test/contracts/scripted-upstream.ts'
import { supplyOrder } from '../../../test/support/scripted-vendors.ts'
import { describeSupplyAdapter } from '../../../test/contracts/supply-adapter.kit.ts'
import { manualClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import { ROLE_CAPABILITIES } from '../registry.ts'
import { type AcmeSupplyOptions, acmeSupply } from './supply.ts'
import type { FailureReason } from '../contract.ts'
import type { SupplyFulfillment, SupplyProduct } from '../supply-vendor.ts'

const clock = manualClock(Date.parse('2026-09-10T14:00:00+08:00'))

const connect = (upstream: AcmeSupplyUpstream, over: Partial<AcmeSupplyOptions> = {}) =>
  acmeSupply({
    url: upstream.url,
    appKey: APP_KEY,
    appSecret: APP_SECRET,
    timeoutMs: 1500,
    clock,
    sleep: () => Promise.resolve(),
    random: () => 0,
    ...over,
  })

const WATER: SupplyProduct = {
  vendorSku: 'SP1001',
  title: '农夫山泉 饮用天然水 550ml',
  brand: '农夫山泉',
  spec: '550ml*24',
  category: '水',
  imageUrl: 'https://img.example/sp1001.jpg',
  barcode: '6921168509256',
  packSize: 24,
  packPriceFen: fen(2880),
  eachPriceFen: fen(120),
  eachPriceDerived: true,
  stock: 1200,
  isForSale: true,
}

const json = (code: number, data: unknown = null, msg = 'no') => ({ kind: 'json', json: { code, msg, data } }) as const

const TROUBLE_PLANS: Readonly<Partial<Record<Trouble, FaultPlan>>> = {
  refuses_credentials: { fault: json(40102) },
  says_no: { fault: json(60002) },
  slows_us_down: { fault: json(42900) },
  breaks: { fault: gateway(502) },
  garbles: { fault: { kind: 'json', json: { code: 0, msg: 'ok' } } },
  loses_reply: { fault: { kind: 'dropped' }, acting: true },
}

describeSupplyAdapter('Acme Supply', {
  capabilities: ROLE_CAPABILITIES.supply,
  features: ['pickup', 'derived_each'],
  troubles: ALL_TROUBLES,
  sendsRows: true,
  async make() {
    const upstream = await acmeSupplyUpstream(clock)
    const vendor = connect(upstream)
    return {
      vendor,
      hidden: [APP_SECRET, APP_KEY, '127.0.0.1'],
      expected: { products: [WATER], sites: [{ id: 'S01', name: '浦东自提仓', address: '上海市浦东新区' }] },
      lines: [{ vendorSku: 'SP1001', quantity: 2, unit: 'pack' }],
      placed: () => [...upstream.orders.keys()],
      vendorFields: Object.keys(rawGoods()),
      spoil(bad) {
        upstream.goods = Array.from({ length: ROWS }, (_, i) =>
          rawGoods({ goodsNo: `SP${i}`, ...(i < bad && { packPrice: 'N/A' }) }),
        )
        return upstream.goods.map(({ goodsNo }) => goodsNo)
      },
      writesReceived: () => upstream.received.filter(({ method }) => method === 'POST').length,
      async trouble(trouble) {
        const plan = TROUBLE_PLANS[trouble]
        if (plan) upstream.fail(plan)
        else await upstream.goAway()
      },
      async heal() {
        upstream.heal()
        await upstream.comeBack()
      },
      async close() {
        await vendor.close()
        await upstream.close()
      },
    }
  },
})

describe('Acme Supply', () => {
  let upstream: AcmeSupplyUpstream
  let vendor: ReturnType<typeof acmeSupply>
  let notices: string[]
  beforeEach(async () => {
    notices = []
    upstream = await acmeSupplyUpstream(clock)
    vendor = connect(upstream, { notice: (text) => void notices.push(text) })
  })
  afterEach(async () => {
    await vendor.close()
    await upstream.close()
  })

  const listed = async () => expectValue(await vendor.catalog()).products
  const SHIPPING: SupplyFulfillment = { method: 'shipping', contactName: '王', contactPhone: '138', address: '上海' }
  const order = () =>
    vendor.createOrder(supplyOrder('po_1', [{ vendorSku: 'SP1001', quantity: 2, unit: 'pack' }], SHIPPING), granted)
  const isGoods = ({ path }: Received) => path.startsWith('/open/goods')

  describe('goods', () => {
    const rows: readonly [string, Record<string, unknown>, Partial<SupplyProduct>][] = [
      ['36 yuan', { packPrice: '36', unitPrice: '1.5' }, { packPriceFen: fen(3600), eachPriceFen: fen(150) }],
      ['36.0 yuan', { packPrice: '36.0', unitPrice: '1.50' }, { packPriceFen: fen(3600), eachPriceDerived: false }],
      ['0.29 yuan, which floats get wrong', { packPrice: '0.29', packNum: 1 }, { eachPriceFen: fen(29) }],
      [
        'an each price out of the box',
        { packPrice: '10', packNum: 3 },
        { eachPriceFen: fen(333), eachPriceDerived: true },
      ],
      [
        'a single good, nothing derived',
        { packPrice: '3.1', packNum: 1 },
        { eachPriceFen: fen(310), eachPriceDerived: false },
      ],
      ['off the shelf', { status: 0 }, { isForSale: false }],
      ['an undocumented status', { status: 7 }, { isForSale: false }],
      ['no price at all', { packPrice: '0', unitPrice: '0' }, { isForSale: false }],
      ['sold below nothing', { stockNum: -4 }, { stock: 0 }],
      ['a brand named twice', { goodsName: '农夫山泉 茶π' }, { title: '农夫山泉 茶π' }],
      ['a wrong check digit, as it came', { barCode: '6921168509250' }, { barcode: '6921168509250' }],
    ]
    test.each(rows)('2.9 %s', async (_name, raw, expected) => {
      upstream.goods = [rawGoods(raw)]
      expect(await listed()).toMatchObject([expected])
    })

    test.each([
      ['brandName', 'brand', ''],
      ['spec', 'spec', null],
      ['cateName', 'category', ''],
      ['barCode', 'barcode', null],
      ['barCode', 'barcode', ''],
      ['imgUrl', 'imageUrl', ''],
      ['imgUrl', 'imageUrl', '/sp1001.jpg'],
      ['imgUrl', 'imageUrl', 'javascript:alert(1)'],
    ])('2.9 %s may be missing: then there is no %s', async (field, ours, value) => {
      upstream.goods = [rawGoods({ [field]: value })]
      expect((await listed())[0]).not.toHaveProperty(ours)
    })

    test.each(['SP:1', 'SP 1', 'SP\u00a01', ''])(
      '2.2 a code that cannot be an id (%j) is left out, with a notice',
      async (goodsNo) => {
        upstream.goods = [rawGoods({ goodsNo }), rawGoods({ goodsNo: 'SP2' })]
        expect((await listed()).map((product) => product.vendorSku)).toEqual(['SP2'])
        expect(notices).toHaveLength(1)
      },
    )

    test.each([
      { packPrice: '28.805' },
      { packPrice: 28.8 },
      { packPrice: '-1' },
      { packPrice: null },
      { unitPrice: 'free' },
      { packNum: 0 },
      { packNum: '24' },
      { stockNum: null },
      { stockNum: 1.5 },
      { goodsName: '' },
      { goodsNo: 7 },
    ])('2.9 one entry that is not as documented (%j) makes the reply unknown, not shorter', async (raw) => {
      upstream.goods = [rawGoods({ goodsNo: 'SP1' }), rawGoods({ goodsNo: 'SP2', ...(raw as Record<string, unknown>) })]
      expectFailure(await vendor.catalog(), 'unknown')
    })

    const five = Array.from({ length: 5 }, (_, i) => rawGoods({ goodsNo: `OK${i}` }))
    test.each([
      [{ packPrice: 'N/A' }, 'its price cannot be read'],
      [{ packNum: 0 }, 'its pack size cannot be read'],
      [{ stockNum: null }, 'its stock cannot be read'],
      [{ goodsName: '' }, 'its title cannot be read'],
      [{ status: 'on' }, 'its status cannot be read'],
    ])('2.9 among others an entry like %j is refused alone: %s', async (raw, problem) => {
      upstream.goods = [...five, rawGoods({ goodsNo: 'SP2', ...(raw as Record<string, unknown>) })]
      const answer = await vendor.catalog()
      expect(expectValue(answer).products.map(({ vendorSku }) => vendorSku)).toEqual(five.map((one) => one.goodsNo))
      expect(answer).toMatchObject({ unreadable: [{ kind: 'product', id: 'SP2', problem }] })
    })

    test('2.9 an entry without a readable code is refused, too, each by itself', async () => {
      const nameless = [null, { ...rawGoods(), goodsNo: 7 }] as never[]
      upstream.goods = [...five, ...five.map((one) => ({ ...one, goodsNo: `${one.goodsNo}b` })), ...nameless]
      upstream.before = (request) => {
        // The stand-in itself cannot search a row that is no object.
        if (isGoods(request)) upstream.goods = upstream.goods.map((row) => row ?? ({ goodsNo: null } as never))
      }
      const answer = await vendor.catalog()
      expect(expectValue(answer).products).toHaveLength(10)
      expect(answer).toMatchObject({ unreadable: [{ id: undefined }, { id: undefined }] })
    })

    test('2.9 a pickup site that cannot be read is refused alone', async () => {
      upstream.goods = five
      upstream.sites.push({ siteId: 3, siteName: 'x' })
      const answer = await vendor.catalog()
      expect(expectValue(answer).sites.map(({ id }) => id)).toEqual(['S01'])
      expect(answer).toMatchObject({ unreadable: [{ kind: 'site', problem: 'its id cannot be read' }] })
    })

    test.each([
      null,
      [[]],
      { total: 1, pageNo: 1, pageSize: 100 },
      { total: 1, pageNo: 1, pageSize: 100, list: null },
      { total: 1, pageNo: 1, pageSize: 100, list: {} },
      { total: 1, pageNo: 1, pageSize: 100, list: [null] },
      { total: '1', pageNo: 1, pageSize: 100, list: [] },
      { total: 5, pageNo: 1, pageSize: 100, list: [] },
    ])('2.9 a listing of another shape (%j) is unknown, never an empty catalog', async (data) => {
      upstream.fail({ fault: json(0, data), when: isGoods })
      expectFailure(await vendor.catalog(), 'unknown')
    })

    test('an empty listing is an answer when the supplier counts nothing', async () => {
      upstream.goods = []
      expect(await listed()).toEqual([])
    })

    test('a catalog without its sites is no catalog', async () => {
      upstream.fail({ fault: json(0, { siteId: 'S01' }), when: ({ path }) => path === '/open/sites' })
      expectFailure(await vendor.catalog(), 'unknown')
    })

    test('every page is read to the end', async () => {
      upstream.goods = Array.from({ length: 1_234 }, (_, i) => rawGoods({ goodsNo: `SP${i}` }))
      expect((await listed()).map((p) => p.vendorSku)).toEqual(upstream.goods.map((g) => g.goodsNo))
      expect(upstream.received.filter(isGoods)).toHaveLength(13)
    })

    test('products removed between two pages hide none of the others', async () => {
      upstream.goods = Array.from({ length: 250 }, (_, i) => rawGoods({ goodsNo: `SP${i}` }))
      let asked = 0
      upstream.before = (request) => {
        if (isGoods(request) && (asked += 1) === 2) upstream.goods.shift()
      }
      expect((await listed()).map((p) => p.vendorSku)).toEqual(upstream.goods.map((g) => g.goodsNo))
    })

    test('a keyword is encoded, signed as sent, and narrows', async () => {
      upstream.goods = [rawGoods(), rawGoods({ goodsNo: 'SP2', brandName: '乐事', goodsName: '薯片 & 原味?' })]
      const { products } = expectValue(await vendor.catalog({ keyword: '薯片 & 原' }))
      expect(products.map((p) => p.vendorSku)).toEqual(['SP2'])
    })
  })

  describe('codes', () => {
    const table: readonly [number, FailureReason][] = [
      [40001, 'rejected'],
      [40101, 'unauthorized'],
      [40102, 'unauthorized'],
      [42900, 'limited'],
      [50000, 'unknown'],
      [60001, 'rejected'],
      [60002, 'rejected'],
      [60003, 'rejected'],
      [60004, 'rejected'],
      [77777, 'unknown'],
    ]
    test.each(table)('2.9 code %i is %s, on reads and on an order', async (code, reason) => {
      upstream.fail({ fault: json(code, null, `因为 ${code}`) })
      expectFailure(await vendor.catalog(), reason)
      expectFailure(await vendor.orderStatus('po_1'), reason)
      const answer = await order()
      expectFailure(answer, reason)
      expect(answer).toMatchObject({ message: `因为 ${code}`, raw: `code ${code}` })
    })

    test('2.9 code 40400 is absent for an order, and rejected for products that do not exist', async () => {
      upstream.fail({ fault: json(40400) })
      expectFailure(await vendor.orderStatus('po_1'), 'absent')
      expectFailure(await order(), 'rejected')
    })

    test.each([[{ code: '40400' }], [{ code: 40400.5 }], [{ code: null }], [{}], [[]], ['no'], [null]])(
      '2.9 a reply like %j never says that an order is absent',
      async (reply) => {
        upstream.fail({ fault: { kind: 'json', json: reply } })
        expectFailure(await vendor.orderStatus('po_1'), 'unknown')
      },
    )

    test("2.9 a gateway's 404 never says that an order is absent", async () => {
      upstream.fail({ fault: gateway(404) })
      expectFailure(await vendor.orderStatus('po_1'), 'unknown')
    })

    test('a code without a text still has a message', async () => {
      upstream.fail({ fault: json(60003, null, ' ') })
      expectFailure(await order(), 'rejected')
    })

    test('42900 states how long to wait', async () => {
      upstream.fail({ fault: json(42900, { retryAfter: 12 }) })
      expect(await vendor.orderStatus('po_1')).toMatchObject({ reason: 'limited', retryAfter: 12 })
    })

    test('a bad signature is unauthorized, never an empty catalog', async () => {
      const stranger = connect(upstream, { appSecret: 'another-secret' })
      expectFailure(await stranger.catalog(), 'unauthorized')
      await stranger.close()
    })

    test('a clock that is off by more than 300 s is unauthorized', async () => {
      const late = connect(upstream, { clock: manualClock(clock.now() - 301_000) })
      expectFailure(await late.catalog(), 'unauthorized')
      await late.close()
    })
  })

  describe('reads again, writes once', () => {
    test('a read that fails transiently is retried', async () => {
      upstream.fail({ fault: gateway(503), times: 1, when: isGoods })
      upstream.fail({ fault: { kind: 'dropped' }, times: 1, when: isGoods })
      expect(await listed()).toHaveLength(1)
    })

    test('a read is tried three times at most', async () => {
      upstream.fail({ fault: json(50000) })
      expectFailure(await vendor.orderStatus('po_1'), 'unknown')
      expect(upstream.received).toHaveLength(3)
    })

    test('a refusal is not retried', async () => {
      upstream.fail({ fault: json(40101) })
      expectFailure(await vendor.orderStatus('po_1'), 'unauthorized')
      expect(upstream.received).toHaveLength(1)
    })
  })

  describe('orders', () => {
    test('2.9 shipping is sent as documented', async () => {
      expectValue(await order())
      expect(JSON.parse(upstream.received[0]?.body ?? '')).toEqual({
        outOrderNo: 'po_1',
        deliverType: 1,
        consignee: '王',
        mobile: '138',
        address: '上海',
        items: [{ goodsNo: 'SP1001', num: 2, unitType: 'PACK' }],
      })
    })

    test('2.9 pickup is sent in Shanghai time, with the site only when there is one', async () => {
      const pickupAt = Date.parse('2026-09-11T02:30:00Z')
      const lines = [{ vendorSku: 'SP1', quantity: 3, unit: 'each' }] as const
      await vendor.createOrder(supplyOrder('po_2', lines, { method: 'pickup', pickupAt }), granted)
      expect(JSON.parse(upstream.received[0]?.body ?? '')).toEqual({
        outOrderNo: 'po_2',
        deliverType: 2,
        pickupTime: '2026-09-11 10:30:00',
        items: [{ goodsNo: 'SP1', num: 3, unitType: 'EACH' }],
      })
    })

    test.each([
      null,
      {},
      { orderNo: '' },
      { orderNo: null },
      { orderNo: 17 },
      { orderNo: 'AS1', outOrderNo: 'po_other' },
    ])('2.9 success without our order (%j) is unknown', async (data) => {
      upstream.fail({ fault: json(0, data) })
      expectFailure(await order(), 'unknown')
    })

    test('2.9 a reply about another order is unknown', async () => {
      upstream.fail({ fault: json(0, { orderNo: 'AS1', outOrderNo: 'po_other', status: 40 }) })
      expectFailure(await vendor.orderStatus('po_1'), 'unknown')
    })

    test.each([
      [10, 'ordered'],
      [20, 'ordered'],
      [30, 'ordered'],
      [40, 'arrived'],
      [90, 'cancelled'],
      [55, 'ordered'],
    ])('2.9 status %i is %s, its number and text kept', async (status, state) => {
      await order()
      Object.assign(upstream.orders.get('po_1') ?? {}, { status, statusDesc: `状态 ${status}` })
      expect(expectValue(await vendor.orderStatus('po_1'))).toEqual({
        externalRef: 'AS1000',
        state,
        description: `状态 ${status}`,
        rawStatus: status,
        createdAt: Date.parse('2026-09-10T14:03:22+08:00'),
        logistics: [
          {
            at: Date.parse('2026-09-11T09:12:00+08:00'),
            text: '已出库',
            received: { time: '2026-09-11 09:12:00', text: '已出库' },
          },
        ],
      })
    })

    test('2.7 logistics objects are kept as received; carrier and tracking are read where they are named', async () => {
      const steps = [
        {
          zone: 1,
          time: '',
          text: '已出库',
          carrier: '顺丰',
          trackingNo: 'SF1',
          trackingUrl: 'https://sf.example/SF1',
        },
        { time: '2026-09-11 10:00:00', url: 'javascript:alert(1)', nested: { a: [1] } },
      ]
      upstream.fail({ fault: json(0, { orderNo: 'AS1', status: 30, logistics: steps }) })
      const { logistics } = expectValue(await vendor.orderStatus('po_1'))
      expect(logistics.map(({ received }) => JSON.stringify(received))).toEqual(
        steps.map((step) => JSON.stringify(step)),
      )
      expect(logistics).toMatchObject([
        { at: null, carrier: '顺丰', trackingNumber: 'SF1', trackingUrl: 'https://sf.example/SF1' },
        { at: Date.parse('2026-09-11T10:00:00+08:00'), text: '' },
      ])
      expect(logistics[1]).not.toHaveProperty('trackingUrl')
    })

    test.each([null, 'on its way', { time: 'x' }, [7, null]])(
      '2.9 logistics like %j are none: the order is known all the same',
      async (logistics) => {
        upstream.fail({ fault: json(0, { orderNo: 'AS1', status: 30, logistics }) })
        expect(expectValue(await vendor.orderStatus('po_1'))).toMatchObject({ externalRef: 'AS1', logistics: [] })
      },
    )

    test('a reference is one segment of the path, whatever it holds', async () => {
      await vendor.orderStatus('po/../x?y#z 一')
      expect(upstream.received[0]?.path).toBe(`/open/orders/${encodeURIComponent('po/../x?y#z 一')}`)
    })
  })
})
