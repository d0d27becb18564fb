import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  acmeMachineUpstream,
  CLIENT_ID,
  CLIENT_SECRET,
  rawSlot,
  rawTrade,
} from '../../../test/contracts/acme-machine-upstream.ts'
import type { AcmeMachineUpstream } from '../../../test/contracts/acme-machine-upstream.ts'
import { ALL_TROUBLES, expectFailure, expectValue, granted, ROWS } from '../../../test/contracts/adapter-kit.ts'
import type { Trouble } from '../../../test/contracts/adapter-kit.ts'
import { describeMachineAdapter } from '../../../test/contracts/machine-adapter.kit.ts'
import { type Fault, type Received, gateway } from '../../../test/contracts/scripted-upstream.ts'
import { manualClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import { type AcmeMachineOptions, acmeMachine } from './machine.ts'
import type { FailureReason } from '../contract.ts'
import type { LedgerRecord, MachineSlot } from '../machine-vendor.ts'
import { ROLE_CAPABILITIES } from '../registry.ts'

const clock = manualClock(Date.parse('2026-09-10T14:00:00+08:00'))

const connect = (upstream: AcmeMachineUpstream, over: Partial<AcmeMachineOptions> = {}) =>
  acmeMachine({
    url: upstream.url,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    timeoutMs: 1500,
    clock,
    sleep: () => Promise.resolve(),
    random: () => 0,
    ...over,
  })

const code = (errCode: unknown, errMsg: unknown = 'no'): Fault => ({
  kind: 'json',
  json: { success: false, errCode, errMsg, result: null },
})
const result = (value: unknown): Fault => ({
  kind: 'json',
  json: { success: true, errCode: null, errMsg: null, result: value },
})
const isToken = ({ path }: Received) => path === '/api/token'
const isNotToken = (request: Received) => !isToken(request)

const WATER: MachineSlot = {
  vendorSku: 'G-0001',
  title: '农夫山泉 饮用天然水 550ml',
  barcode: '6921168509256',
  priceFen: fen(250),
  stock: 7,
  imageUrl: 'https://img.example/g1.jpg',
}

const SALE: LedgerRecord = {
  orderNo: 'T202609100801020001',
  status: 'TRADE_SUCCESS_MANUAL',
  statusLabel: '交易成功',
  settled: true,
  locationId: 'M1001',
  locationName: '一号楼大厅',
  totalFen: fen(500),
  createdAt: Date.parse('2026-09-10T08:01:02+08:00'),
  createdAtRaw: '2026-09-10 08:01:02',
  lines: [
    { vendorSku: 'G-0001', priceFen: fen(250), costFen: fen(120), status: 'paid' },
    { vendorSku: 'G-0001', priceFen: fen(250), costFen: null, status: 'refunded' },
  ],
}

const WINDOW = { fromMs: Date.parse('2026-09-10T00:00:00+08:00'), toMs: clock.now() }

const FAULTS: Readonly<Partial<Record<Trouble, Fault>>> = {
  says_no: code('DEVICE_OFFLINE'),
  slows_us_down: code('LIMITED'),
  breaks: gateway(504),
  garbles: result({ G: 1 }),
}

describeMachineAdapter('Acme Machine', {
  capabilities: ROLE_CAPABILITIES.machine,
  troubles: ALL_TROUBLES,
  sendsRows: true,
  async make() {
    const upstream = await acmeMachineUpstream()
    upstream.trades = [
      rawTrade(),
      rawTrade({ tradeNo: 'T2', tradeStatus: 'TRADE_PROCESSING', createTime: '2026-09-10 08:00:00', deviceId: 'M7' }),
    ]
    const vendor = connect(upstream)
    return {
      vendor,
      hidden: [CLIENT_SECRET, CLIENT_ID, 'token-', '127.0.0.1'],
      locationId: 'M1001',
      slots: [WATER, { ...WATER, vendorSku: 'G-0002', title: '薯片', priceFen: fen(500) }],
      records: [
        SALE,
        {
          ...SALE,
          orderNo: 'T2',
          status: 'TRADE_PROCESSING',
          settled: false,
          locationId: 'M7',
          createdAt: Date.parse('2026-09-10T08:00:00+08:00'),
          createdAtRaw: '2026-09-10 08:00:00',
        },
      ],
      window: WINDOW,
      vendorFields: [...Object.keys(rawSlot()), ...Object.keys(rawTrade())].filter((field) => field !== 'stock'),
      spoil(bad) {
        const slots = Array.from({ length: ROWS }, (_, i) =>
          rawSlot({ goodsCode: `G${i}`, ...(i < bad && { salePrice: 'free' }) }),
        )
        upstream.slots.set('M1001', slots)
        upstream.trades = Array.from({ length: ROWS }, (_, i) =>
          rawTrade({ tradeNo: `T${i}`, ...(i < bad && { amount: 'N/A' }) }),
        )
        return {
          slots: slots.map((slot) => String(slot['goodsCode'])),
          sales: upstream.trades.map((sale) => String(sale['tradeNo'])),
        }
      },
      advice(ref) {
        return Object.fromEntries(upstream.advice.get(`M1001/${ref}`)?.map((item) => [item.goodsCode, item.num]) ?? [])
      },
      writesReceived: () => upstream.received.filter((sent) => sent.method === 'POST' && isNotToken(sent)).length,
      async trouble(trouble) {
        const fault = FAULTS[trouble]
        if (fault) upstream.fail({ fault, when: isNotToken })
        else if (trouble === 'loses_reply')
          upstream.fail({ fault: { kind: 'dropped' }, acting: true, when: isNotToken })
        else if (trouble === 'refuses_credentials') upstream.fail({ fault: code('AUTH_FAILED', CLIENT_SECRET) })
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

describe('Acme Machine', () => {
  let upstream: AcmeMachineUpstream
  let vendor: ReturnType<typeof acmeMachine>
  let notices: string[]
  beforeEach(async () => {
    notices = []
    upstream = await acmeMachineUpstream()
    vendor = connect(upstream, { notice: (text) => void notices.push(text) })
  })
  afterEach(async () => {
    await vendor.close()
    await upstream.close()
  })

  const inventory = () => vendor.inventory('M1001')
  const changePrice = () => vendor.updatePrices('M1001', [{ vendorSku: 'G-0001', priceFen: fen(300) }], granted)
  const shelve = (...slots: Record<string, unknown>[]) => upstream.slots.set('M1001', slots)
  const sold = async (...trades: Record<string, unknown>[]) => {
    upstream.trades = trades
    return expectValue(await vendor.ledger(WINDOW)).records
  }

  describe('token', () => {
    test('one token serves all calls, also those that begin together', async () => {
      await Promise.all([inventory(), inventory(), vendor.ledger(WINDOW), changePrice()])
      await inventory()
      expect(upstream.tokensGiven).toHaveLength(1)
    })

    test('it is renewed shortly before its time is over', async () => {
      const clock = manualClock(0)
      const other = connect(upstream, { clock })
      upstream.expireIn = 600
      await other.inventory('M1001')
      clock.advance(539_000)
      await other.inventory('M1001')
      expect(upstream.tokensGiven).toHaveLength(1)
      clock.advance(2_000)
      expectValue(await other.inventory('M1001'))
      expect(upstream.tokensGiven).toHaveLength(2)
      await other.close()
    })

    test('one that dies before its time is renewed and the read repeated', async () => {
      await inventory()
      upstream.killToken()
      expectValue(await inventory())
      expect(upstream.tokensGiven).toHaveLength(2)
    })

    test('a write is repeated too: the platform refused before it acted', async () => {
      await inventory()
      upstream.killToken()
      expect(expectValue(await changePrice())).toEqual({ count: 1 })
    })

    test('many calls that meet the dead token together renew it once', async () => {
      await inventory()
      upstream.killToken()
      const answers = await Promise.all(Array.from({ length: 12 }, inventory))
      expect(answers.every((answer) => answer.ok)).toBe(true)
      expect(upstream.tokensGiven).toHaveLength(2)
    })

    test('it may expire at any time: no call, read or write, fails because of it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (deaths) => {
          for (const [i, dies] of deaths.entries()) {
            if (dies) upstream.killToken()
            const answer = await [inventory, changePrice, () => vendor.ledger(WINDOW)][i % 3]?.()
            expect(answer).toMatchObject({ ok: true })
          }
        }),
        { numRuns: 20 },
      )
    })

    test('a platform that calls every token expired refuses our credentials; a call is repeated once only', async () => {
      upstream.fail({ fault: code('TOKEN_EXPIRED'), when: isNotToken })
      expectFailure(await changePrice(), 'unauthorized')
      expect(upstream.received.filter(isNotToken)).toHaveLength(2)
    })

    test('wrong credentials are unauthorized, never an empty machine', async () => {
      const stranger = connect(upstream, { clientSecret: 'another-secret' })
      expectFailure(await stranger.inventory('M1001'), 'unauthorized', ['another-secret'])
      await stranger.close()
    })

    test.each([gateway(503), code('SYSTEM_ERROR'), code('LIMITED'), { kind: 'silent' } as const])(
      'a write whose token cannot be got was not sent (%j)',
      async (fault) => {
        upstream.fail({ fault, when: isToken })
        expectFailure(await changePrice(), 'unsent')
        expect(upstream.received.some(isNotToken)).toBe(false)
      },
    )

    test('a token is requested again after a transient failure, also for a write', async () => {
      upstream.fail({ fault: gateway(503), when: isToken, times: 2 })
      expectValue(await changePrice())
    })

    test.each([
      {},
      { token: '' },
      { token: 'a', expireIn: 0 },
      { token: 'a', expireIn: '7200' },
      { token: 'a\r\nb: c', expireIn: 9 },
    ])('a grant like %j is none', async (grant) => {
      upstream.fail({ fault: result(grant), when: isToken })
      expectFailure(await inventory(), 'unsent')
    })
  })

  describe('codes', () => {
    const table: readonly [string, FailureReason][] = [
      ['AUTH_FAILED', 'unauthorized'],
      ['PARAM_ERROR', 'rejected'],
      ['DEVICE_OFFLINE', 'rejected'],
      ['LIMITED', 'limited'],
      ['SYSTEM_ERROR', 'unknown'],
      ['SOMETHING_NEW', 'unknown'],
    ]
    test.each(table)('2.9 %s is %s, on reads and on writes', async (errCode, reason) => {
      upstream.fail({ fault: code(errCode, `因为 ${errCode}`), when: isNotToken })
      expectFailure(await inventory(), reason)
      expectFailure(await vendor.ledger(WINDOW), reason)
      expectFailure(await vendor.restockRecommend('M1001', 'r', [], granted), reason)
      const answer = await changePrice()
      expectFailure(answer, reason)
      expect(answer).toMatchObject({ message: `因为 ${errCode}`, raw: errCode })
    })

    test.each([
      [{ success: 'true', result: [] }],
      [{ result: [] }],
      [{ success: false, errCode: null, errMsg: null }],
      [{ success: true, result: null }],
      [{ success: true, result: {} }],
      [{ success: true, result: [7] }],
      [[]],
      [null],
    ])('2.9 a reply like %j is unknown, never an empty machine', async (reply) => {
      upstream.fail({ fault: { kind: 'json', json: reply }, when: isNotToken })
      expectFailure(await inventory(), 'unknown')
    })
  })

  describe('inventory', () => {
    test('2.9 a machine that does not exist has an empty list, as the platform says', async () => {
      expect(expectValue(await vendor.inventory('M9999'))).toEqual([])
    })

    test('2.2 lanes of one product are one slot with their total stock', async () => {
      shelve(rawSlot({ stock: 3 }), rawSlot({ goodsCode: 'G-0002' }), rawSlot({ stock: 4 }))
      expect(expectValue(await inventory())).toMatchObject([
        { vendorSku: 'G-0001', stock: 7 },
        { vendorSku: 'G-0002', stock: 7 },
      ])
    })

    test('2.2 a code that cannot be part of an id is left out, and reported', async () => {
      shelve(rawSlot({ goodsCode: 'G:1' }), rawSlot())
      expect(expectValue(await inventory())).toHaveLength(1)
      expect(notices).toHaveLength(1)
    })

    test('2.9 stock below zero is none, a picture without an address is no picture', async () => {
      shelve(rawSlot({ stock: -2, pic: 'g1.jpg', barCode: '' }))
      const [slot] = expectValue(await inventory())
      expect(slot).toEqual({ vendorSku: 'G-0001', title: WATER.title, priceFen: 250, stock: 0 })
    })

    test.each([{ salePrice: '250' }, { salePrice: 2.5 }, { salePrice: -1 }, { stock: null }, { goodsName: null }])(
      '2.9 a slot that is not as documented (%j) makes the reply unknown',
      async (raw) => {
        shelve(rawSlot(), rawSlot({ goodsCode: 'G-0002', ...raw }))
        expectFailure(await inventory(), 'unknown')
      },
    )
  })

  describe('rows that cannot be read', () => {
    const six = Array.from({ length: 6 }, (_, i) => rawSlot({ goodsCode: `OK${i}` }))

    test('2.2 a slot with one lane that cannot be read is refused as a whole: the other lanes do not give its stock', async () => {
      shelve(...six, rawSlot({ stock: 3 }), rawSlot({ stock: 'x' }))
      const answer = await inventory()
      expect(expectValue(answer).map(({ vendorSku }) => vendorSku)).toEqual(six.map((slot) => slot['goodsCode']))
      expect(answer).toMatchObject({
        unreadable: [{ kind: 'slot', id: 'G-0001', problem: 'its stock cannot be read' }],
      })
    })

    test('2.9 a sale with one line that cannot be read is refused whole', async () => {
      const lines = [
        { goodsCode: 'G-1', price: 250, cost: null, payStatus: 1 },
        { goodsCode: 'G-1', price: 2.5, cost: null, payStatus: 1 },
      ]
      upstream.trades = [
        ...Array.from({ length: 6 }, (_, i) => rawTrade({ tradeNo: `T${i}` })),
        rawTrade({ tradeNo: 'BAD', goods: lines }),
      ]
      const answer = await vendor.ledger(WINDOW)
      expect(expectValue(answer).records).toHaveLength(6)
      expect(answer).toMatchObject({ unreadable: [{ kind: 'sale', id: 'BAD', problem: 'its price cannot be read' }] })
    })
  })

  describe('ledger', () => {
    test.each([
      [0, 'unpaid'],
      [1, 'paid'],
      [3, 'refunded'],
      [4, 'refund_failed'],
      [9, 'cancelled'],
    ])('2.9 pay status %i is %s', async (payStatus, status) => {
      const [sale] = await sold(rawTrade({ goods: [{ goodsCode: 'G-1', price: 250, cost: null, payStatus }] }))
      expect(sale?.lines).toEqual([{ vendorSku: 'G-1', priceFen: 250, costFen: null, status }])
      expect(notices).toEqual([])
    })

    test('2.9 an undocumented pay status does not count as paid', async () => {
      const [sale] = await sold(rawTrade({ goods: [{ goodsCode: 'G-1', price: 250, cost: null, payStatus: 2 }] }))
      expect(sale?.lines[0]?.status).toBe('unpaid')
      expect(notices).toHaveLength(1)
    })

    test.each([
      [120, 120],
      [250, null],
      [null, null],
      [undefined, null],
      [-1, null],
      ['120', null],
      [0, 0],
    ])('2.1 a cost of %s beside a price of 250 is %s', async (cost, known) => {
      const [sale] = await sold(rawTrade({ goods: [{ goodsCode: 'G-1', price: 250, cost, payStatus: 1 }] }))
      expect(sale?.lines[0]?.costFen).toBe(known)
    })

    test.each([
      ['TRADE_SUCCESS', true],
      ['TRADE_SUCCESS_MANUAL', true],
      ['TRADE_PROCESSING', false],
      ['TRADE_CLOSED', false],
      ['TRADE_REFUND', false],
    ])('%s settled: %s', async (tradeStatus, settled) => {
      expect(await sold(rawTrade({ tradeStatus }))).toMatchObject([{ status: tradeStatus, settled }])
    })

    test.each(['', '0000-00-00 00:00:00', 'yesterday', null])('2.9 a time like %j is null', async (createTime) => {
      expect(await sold(rawTrade({ createTime }))).toMatchObject([{ createdAt: null, createdAtRaw: createTime ?? '' }])
    })

    test.each([
      { amount: 5 },
      { amount: '5.005' },
      { goods: null },
      { deviceId: '' },
      { tradeNo: null },
      { tradeStatus: 1 },
    ])('2.9 a trade that is not as documented (%j) makes the reply unknown', async (raw) => {
      upstream.trades = [rawTrade(), rawTrade(raw)]
      expectFailure(await vendor.ledger(WINDOW), 'unknown')
    })

    test('2.9 the window is requested in Shanghai time, rounded outwards to whole seconds', async () => {
      await vendor.ledger({ fromMs: WINDOW.fromMs + 500, toMs: WINDOW.fromMs + 1_500, page: 3, size: 500 })
      const query = new URL(upstream.received.at(-1)?.path ?? '', 'http://x').searchParams
      expect(Object.fromEntries(query)).toEqual({
        beginTime: '2026-09-10 00:00:00',
        endTime: '2026-09-10 00:00:02',
        pageNum: '3',
        pageSize: '100',
      })
    })
  })

  describe('writes', () => {
    test('2.9 a platform that changed fewer than were sent says so', async () => {
      const prices = ['G-0001', 'G-0404'].map((vendorSku) => ({ vendorSku, priceFen: fen(300) }))
      expect(expectValue(await vendor.updatePrices('M1001', prices, granted))).toEqual({ count: 1 })
    })

    test.each([{}, { count: '1' }, { count: -1 }, { count: 2 }])('2.9 a count like %j is unknown', async (value) => {
      upstream.fail({ fault: result(value), when: isNotToken })
      expectFailure(await changePrice(), 'unknown')
    })

    test('8 a reason is cut to 100 whole characters', async () => {
      const reason = '🍜'.repeat(150)
      const lines = [{ vendorSku: 'G-0001', quantity: 6, reason }]
      expectValue(await vendor.restockRecommend('M1001', 'B-1', lines, granted))
      expect(upstream.advice.get('M1001/B-1')).toEqual([{ goodsCode: 'G-0001', num: 6, remark: '🍜'.repeat(100) }])
    })
  })
})
