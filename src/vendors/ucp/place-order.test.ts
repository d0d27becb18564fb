/** What a purchase does when something goes wrong, at a merchant of each version over each transport. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { denied, expectFailure, expectValue, granted } from '../../../test/contracts/adapter-kit.ts'
import { type Fault, type Received, gateway } from '../../../test/contracts/scripted-upstream.ts'
import {
  completesOrder,
  UCP_CARD,
  ucpMerchant,
  ucpProduct,
  UCP_VERSIONS,
} from '../../../test/contracts/ucp-merchant.ts'
import type { UcpMerchant } from '../../../test/contracts/ucp-merchant.ts'
import { officialValidator } from '../../../test/support/official.ts'
import { fen } from '../../kernel/fen.ts'
import { testMemory } from '../sheet/memory.test-support.ts'
import { ADDRESS, connect, priceList, recordOf, SHIPPING, usdOrder, WATER_TOTAL } from './ucp.test-support.ts'
import type { Connected } from './ucp.test-support.ts'

const MERCHANTS = UCP_VERSIONS.flatMap((version) =>
  (['rest', 'mcp'] as const).map((transport) => [version, transport] as const),
)
const creates = ({ method, path, body }: Received) =>
  (method === 'POST' && path.endsWith('/checkout-sessions')) || body.includes('"create_checkout"')
const updates = ({ method, body }: Received) => method === 'PUT' || body.includes('"update_checkout"')
const reads = ({ method, body }: Received) => method === 'GET' || /"get_(checkout|order)"/.test(body)

const PATIENT_MS = 10_000
/** Where the merchant never answers; everything else has the long time-out, because a slow host is late as well. */
const IMPATIENT_MS = 1_000

describe.each(MERCHANTS)('a purchase at a merchant of %s over %s', (version, transport) => {
  let merchant: UcpMerchant
  let shop: Connected
  let list: ReturnType<typeof priceList>
  beforeEach(async () => {
    merchant = await ucpMerchant({ version, transport, official: await officialValidator() })
    list = priceList()
    shop = open()
    await shop.vendor.catalog()
  })
  afterEach(async () => {
    await shop.vendor.close()
    await merchant.close()
    list.remove()
    if (merchant.violations.length > 0) throw new Error(merchant.violations.join('\n'))
  })

  const open = (over: Parameters<typeof connect>[1] = {}, needs: Parameters<typeof connect>[2] = {}) =>
    connect(
      merchant.url,
      { ...(version === '2026-01-11' && { catalog: list.catalog }), ...over },
      // Long: on a slow host no reply of the stand-in is late by itself.
      { timeoutMs: PATIENT_MS, ...needs },
    )
  /** A connection for one fault, and one that asks about it afterwards. */
  const openFor = async ({ kind }: Fault): Promise<readonly [failing: Connected, asking: Connected]> => {
    if (kind !== 'silent') return [shop, shop]
    const { memory, clock } = shop
    const impatient = open({}, { timeoutMs: IMPATIENT_MS, memory, clock })
    await impatient.vendor.catalog()
    return [impatient, shop]
  }
  const buy = (more: Parameters<typeof usdOrder>[1] = {}, by = shop) =>
    by.vendor.createOrder(usdOrder('po_1', more), granted)
  const status = () => shop.vendor.orderStatus('po_1')

  test('states what it bought: lines, address, cheapest delivery, total', async () => {
    expect(expectValue(await buy())).toEqual({ externalRef: 'ord_1', totalFen: WATER_TOTAL })
    expect(merchant.orders).toEqual([
      expect.objectContaining({
        total: WATER_TOTAL,
        lines: [{ item: 'water', unit: undefined, quantity: 10 }],
        destination: ADDRESS,
      }),
    ])
    expect(expectValue(await status())).toMatchObject({ externalRef: 'ord_1', state: 'ordered', totalFen: WATER_TOTAL })
  })

  test('a merchant that never says that a session is ready is bought from, once', async () => {
    merchant.isNeverReady = true
    expect(expectValue(await buy())).toEqual({ externalRef: 'ord_1', totalFen: WATER_TOTAL })
    expect(expectValue(await buy())).toEqual({ externalRef: 'ord_1', totalFen: WATER_TOTAL })
    expect([merchant.orders.length, merchant.completions()]).toEqual([1, 1])
  })

  test('what such a merchant refuses is not bought, and a lost reply is asked about before anything is sent again', async () => {
    merchant.isNeverReady = true
    merchant.declinesPayment = true
    expectFailure(await buy(), 'rejected')
    merchant.declinesPayment = false
    merchant.fail({ fault: { kind: 'dropped' }, when: completesOrder, acting: true, times: 1 })
    expectFailure(await buy(), 'unknown')
    expect(expectValue(await status())).toMatchObject({ externalRef: 'ord_1' })
    expect(expectValue(await buy())).toMatchObject({ externalRef: 'ord_1' })
    expect(merchant.orders).toHaveLength(1)
  })

  test('a session that the merchant has forgotten is for a person, and bought again only after that person says so', async () => {
    merchant.fail({ fault: { kind: 'dropped' }, when: completesOrder, acting: true, times: 1 })
    expectFailure(await buy(), 'unknown')
    merchant.sessions.clear()
    const gone = { reason: 'unknown', raw: 'gone', onlyPersonKnows: true }
    expect(await status()).toMatchObject(gone)
    expect(await buy()).toMatchObject(gone)
    expect(merchant.completions()).toBe(1)
    expect(expectValue(await buy({ isRecordedAsNotPlaced: true }))).toMatchObject({ totalFen: WATER_TOTAL })
    expect(merchant.completions()).toBe(2)
  })

  test('a quote is what the order will cost, and leaves no session open', async () => {
    merchant.fee = 30
    const { lines, currency } = usdOrder('po_1')
    const quoted = expectValue(
      (await shop.vendor.quote?.({ lines, currency, fulfillment: SHIPPING, destination: ADDRESS })) ?? expect.fail(),
    )
    expect(quoted).toEqual({
      isFinal: true,
      totals: { subtotal: 1200, fulfillment: 500, tax: 120, fee: 30, total: 1850 },
    })
    const withoutAddress = expectValue((await shop.vendor.quote?.({ lines, currency })) ?? expect.fail())
    expect(withoutAddress).toMatchObject({ isFinal: false, totals: { fulfillment: 0 } })
    await shop.vendor.close()
    expect([...merchant.sessions.values()].map((session) => session.status)).toEqual(['canceled', 'canceled'])
    expect(merchant.completions()).toBe(0)
  })

  test.each([
    [
      'a price that rose',
      () => void (merchant.products = [ucpProduct('water', { price: { amount: 121, currency: 'USD' } })]),
    ],
    ['delivery that costs more', () => void (merchant.delivery = 501)],
    ['a fee that nobody agreed to', () => void (merchant.fee = 1)],
  ])('%s is above what was agreed: refused, and nothing is bought', async (_name, change) => {
    change()
    const answer = await buy()
    expectFailure(answer, 'rejected')
    expect(answer).toMatchObject({
      documented: true,
      message: expect.stringMatching(/asks \$18\.\d\d.* than \$18\.20 was agreed/),
    })
    expect([merchant.completions(), merchant.orders]).toEqual([0, []])
    expectFailure(await status(), 'absent')
  })

  test('a lower total is bought, and stated', async () => {
    merchant.delivery = 100
    expect(expectValue(await buy())).toMatchObject({ totalFen: WATER_TOTAL - 400 })
  })

  test.each<[string, (request: Received) => boolean, Fault, boolean]>([
    ['the session cannot be opened: 502', creates, gateway(502), false],
    ['the session is opened and the reply lost', creates, { kind: 'dropped' }, true],
    ['the session cannot be changed: time-out', updates, { kind: 'silent' }, false],
    ['the session is changed and the reply cut off', updates, { kind: 'truncated' }, true],
    ['the session is nonsense', creates, { kind: 'json', json: { ucp: {}, id: 7 } }, true],
  ])('%s: certainly nothing was bought, and the next attempt buys once', async (_name, when, fault, acting) => {
    const [timely, patient] = await openFor(fault)
    merchant.fail({ fault, when, acting, times: 1 })
    expectFailure(await buy({}, timely), 'unsent')
    expect(merchant.completions()).toBe(0)
    expectFailure(await patient.vendor.orderStatus('po_1'), 'absent')
    expectValue(await buy({}, patient))
    expect(merchant.orders).toHaveLength(1)
    if (timely !== shop) await timely.vendor.close()
  })

  test.each<[string, Fault, boolean, number]>([
    ['time-out before it acts', { kind: 'silent' }, false, 0],
    ['time-out after it acted', { kind: 'silent' }, true, 1],
    ['connection dropped before it acts', { kind: 'dropped' }, false, 0],
    ['connection dropped after it acted', { kind: 'dropped' }, true, 1],
    ['502 after it acted', gateway(502), true, 1],
    ['500 before it acts', gateway(500), false, 0],
    ['a reply that is cut off', { kind: 'truncated' }, true, 1],
    ['a reply that is not JSON', { kind: 'text', text: '<html>' }, true, 1],
    ['an empty object', { kind: 'json', json: {} }, true, 1],
    ['a gateway that forbids, after it acted', gateway(403), true, 1],
  ])('complete: %s: the merchant is asked, and there is never a second order', async (_name, fault, acting, bought) => {
    const [timely, patient] = await openFor(fault)
    merchant.fail({ fault, when: completesOrder, acting, times: 1 })
    const answer = await buy({}, timely)
    expect(answer.ok).toBe(false)
    expect(answer).not.toMatchObject({ reason: 'unsent' })
    expect(merchant.orders).toHaveLength(bought)
    const asked = await patient.vendor.orderStatus('po_1')
    if (bought === 1) expect(expectValue(asked)).toMatchObject({ externalRef: 'ord_1' })
    else {
      expectFailure(asked, 'unknown')
      shop.clock.advance(2 * PATIENT_MS)
      expectFailure(await patient.vendor.orderStatus('po_1'), 'absent')
    }
    // Whoever asks again gets the same order; nobody gets a second one.
    expect(expectValue(await buy({}, patient)).externalRef).toBe('ord_1')
    expect(merchant.orders).toHaveLength(1)
    expect([...merchant.sessions.values()].filter(({ status: each }) => each === 'ready_for_complete')).toEqual([])
    if (timely !== shop) await timely.vendor.close()
  })

  test('complete that is refused is over at once, and can be tried again', async () => {
    merchant.declinesPayment = true
    const answer = await buy()
    expectFailure(answer, 'rejected', [UCP_CARD])
    expect(answer).toMatchObject({ documented: true })
    expectFailure(await status(), 'absent')
    merchant.declinesPayment = false
    expectValue(await buy())
    expect(merchant.orders).toHaveLength(1)
  })

  test('sold out before and after the session was opened is a refusal', async () => {
    merchant.soldOut.add('water')
    expectFailure(await buy(), 'rejected')
    merchant.soldOut.clear()
    const late = shop.vendor.createOrder(usdOrder('po_1'), (write) => {
      merchant.soldOut.add('water')
      return granted(write)
    })
    expectFailure(await late, 'rejected')
    expectFailure(await status(), 'absent')
    expect(merchant.orders).toEqual([])
  })

  test('a merchant that is still working is asked until it is done', async () => {
    merchant.isSlow = true
    expectFailure(await buy(), 'unknown')
    expectFailure(await status(), 'unknown')
    expect(expectValue(await status())).toMatchObject({ externalRef: 'ord_1' })
    expect(merchant.completions()).toBe(1)
  })

  test('where a person has to pay, it is handed off, and found once it is paid', async () => {
    merchant.escalates = true
    expect(expectValue(await buy())).toEqual({ externalRef: 'chk_1', handoff: 'https://shop.example/continue/chk_1' })
    expectFailure(await status(), 'absent')
    expect([...merchant.sessions.values()].map((session) => session.status)).toEqual(['requires_escalation'])
    merchant.payOnPage('chk_1')
    expect(expectValue(await status())).toMatchObject({ externalRef: 'ord_1' })
    expect(expectValue(await buy())).toMatchObject({ externalRef: 'ord_1' })
    expect(merchant.orders).toHaveLength(1)
  })

  test('an attempt that another process abandoned is closed, and buys nothing when it wakes up', async () => {
    const entries = shop.memory.entries
    const asleep = Promise.withResolvers<void>()
    const waking = Promise.withResolvers<void>()
    const sleeper = open(
      {},
      {
        memory: testMemory(
          {
            async before(_key, value) {
              if ((value as { state: string }).state !== 'completing') return
              asleep.resolve()
              await waking.promise
            },
          },
          entries,
        ),
        clock: shop.clock,
      },
    )
    await sleeper.vendor.catalog()
    const slow = buy({}, sleeper)
    await asleep.promise
    expectFailure(await status(), 'unknown')
    shop.clock.advance(60_000)
    expectFailure(await status(), 'absent')
    expectValue(await buy())
    waking.resolve()
    expectFailure(await slow, 'unsent')
    expect(merchant.orders).toHaveLength(1)
    await sleeper.vendor.close()
  })

  test('a process that wakes up after its session was replaced finds it canceled', async () => {
    const entries = shop.memory.entries
    const sleeper = open({}, { memory: testMemory({}, entries), clock: shop.clock })
    await sleeper.vendor.catalog()
    const waking = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const slow = sleeper.vendor.createOrder(usdOrder('po_1'), async (write) => {
      asked.resolve()
      await waking.promise
      return granted(write)
    })
    await asked.promise
    shop.clock.advance(60_000)
    expectFailure(await status(), 'absent')
    expectValue(await buy())
    waking.resolve()
    expect((await slow).ok).toBe(false)
    expect(merchant.orders).toHaveLength(1)
    await sleeper.vendor.close()
  })

  test('a profile that cannot be read before buying ends the attempt: every process knows at once that nothing was bought', async () => {
    const prepares = (request: Received) => creates(request) || updates(request)
    let requests = 0
    merchant.fail({ fault: gateway(502), when: (request) => prepares(request) && ++requests < 0 })
    expectValue(await shop.vendor.createOrder(usdOrder('po_0'), granted))
    merchant.heal()
    // The profile is known for five minutes; they end with the last request before the one that buys.
    shop.clock.advance(5 * 60_000 - 1)
    merchant.fail({
      fault: gateway(502),
      when: (request) => {
        if (prepares(request) && --requests === 0) shop.clock.advance(1)
        return request.path === '/.well-known/ucp'
      },
    })
    expectFailure(await buy(), 'unsent')
    expect([requests, merchant.completions()]).toEqual([0, 1])
    expect(recordOf(shop, 'po_1')?.state).toBe('closed')
    merchant.heal()
    const other = open({}, { memory: testMemory({}, shop.memory.entries), clock: shop.clock })
    await other.vendor.catalog()
    expectFailure(await other.vendor.orderStatus('po_1'), 'absent')
    expectValue(await buy({}, other))
    expectValue(await buy())
    expect(merchant.orders).toHaveLength(2)
    await other.vendor.close()
  })

  test('nothing is sent when what is bought cannot be stored', async () => {
    const broken = open(
      {},
      {
        memory: testMemory({
          before(_key, value) {
            if ((value as { state: string }).state === 'completing') throw new Error('disk full')
          },
        }),
      },
    )
    await broken.vendor.catalog()
    expectFailure(await buy({}, broken), 'unsent')
    expect(merchant.completions()).toBe(0)
    await broken.vendor.close()
  })

  test('an order whose outcome cannot be stored is known all the same', async () => {
    const broken = open(
      {},
      {
        memory: testMemory({
          before(_key, value) {
            if ((value as { state: string }).state === 'placed') throw new Error('disk full')
          },
        }),
      },
    )
    await broken.vendor.catalog()
    expect(expectValue(await buy({}, broken)).externalRef).toBe('ord_1')
    expect(expectValue(await broken.vendor.orderStatus('po_1')).externalRef).toBe('ord_1')
    await broken.vendor.close()
  })

  test('an earlier session that cannot be closed keeps the next attempt from buying', async () => {
    merchant.fail({ fault: { kind: 'dropped' }, when: completesOrder, times: 1 })
    expectFailure(await buy(), 'unknown')
    merchant.fail({ fault: gateway(502), when: reads })
    expectFailure(await buy(), 'unsent')
    expect(merchant.orders).toEqual([])
    merchant.heal()
    expectValue(await buy())
    expect(merchant.orders).toHaveLength(1)
  })

  test('the key of an attempt is the same for a repeated request and another for the next attempt', async () => {
    merchant.declinesPayment = true
    await buy()
    merchant.declinesPayment = false
    await buy()
    const keys = merchant.received
      .filter(completesOrder)
      .map(({ headers, body }) => headers['idempotency-key'] ?? /"idempotency-key":"([^"]+)"/.exec(body)?.[1])
    expect(new Set(keys).size).toBe(2)
    expect(recordOf(shop, 'po_1')).toMatchObject({ state: 'placed', attempt: 2 })
  })

  test('short deliveries are stated line by line', async () => {
    expectValue(await buy())
    const [order] = merchant.orders
    if (!order) throw new Error('no order')
    order.fulfilled[0] = 6
    expect(expectValue(await status())).toMatchObject({
      state: 'ordered',
      description: 'partly fulfilled',
      lines: [{ vendorSku: 'water', shipped: 6, cancelled: 0 }],
      logistics: [
        { at: Date.parse('2026-09-11T09:12:00Z'), text: 'Left the warehouse', carrier: 'Parcel', trackingNumber: 'T1' },
      ],
    })
    order.removed[0] = 4
    expect(expectValue(await status())).toMatchObject({ state: 'arrived', lines: [{ shipped: 6, cancelled: 4 }] })
    order.fulfilled[0] = 0
    order.removed[0] = 10
    expect(expectValue(await status())).toMatchObject({ state: 'cancelled', lines: [{ shipped: 0, cancelled: 10 }] })
  })

  test('after the emergency stop nothing is bought and nobody is asked to pay', async () => {
    expectFailure(await shop.vendor.createOrder(usdOrder('po_1'), denied), 'unsent')
    expect(merchant.completions()).toBe(0)
    expectFailure(await status(), 'absent')
  })

  test('a merchant that takes no address is refused, unless it delivers to the account', async () => {
    merchant.takesAddress = false
    const unaddressed = open()
    const answer = await buy({}, unaddressed)
    expectFailure(answer, 'rejected')
    expect(answer).toMatchObject({ documented: true, raw: 'fulfillment' })
    expect([merchant.sessions.size, merchant.orders]).toEqual([0, []])
    const agreed = open({ delivers_to_account: true })
    // The stand-in sells nothing without an address: it says so itself.
    await buy({}, agreed)
    expect(merchant.sessions.size).toBeGreaterThan(0)
    await unaddressed.vendor.close()
    await agreed.vendor.close()
  })

  test('a configured delivery is chosen, or the order is refused with what is offered', async () => {
    const express = open({ delivery: 'express' })
    expect(expectValue(await buy({ maxTotalFen: fen(WATER_TOTAL + 1_000) }, express)).totalFen).toBe(
      WATER_TOTAL + 1_000,
    )
    const drone = open({ delivery: 'by drone' })
    const answer = await drone.vendor.createOrder(usdOrder('po_2'), granted)
    expectFailure(answer, 'rejected')
    expect(answer).toMatchObject({ documented: true, message: expect.stringMatching(/"by drone".*offers .+, .+/) })
    expect(merchant.orders).toHaveLength(1)
    await express.vendor.close()
    await drone.vendor.close()
  })

  test('a pickup and another currency are refused before anything is opened', async () => {
    expectFailure(await buy({ fulfillment: { method: 'pickup', pickupAt: 0 } }), 'rejected')
    expectFailure(await buy({ currency: 'EUR' }), 'rejected')
    expect(merchant.sessions.size).toBe(0)
  })
})

describe('hand-off', () => {
  test('in this mode a session is prepared, checked against what was agreed, and never bought', async () => {
    const merchant = await ucpMerchant()
    const shop = connect(merchant.url, { mode: 'handoff' })
    const answer = await shop.vendor.createOrder(usdOrder('po_1'), granted)
    expect(expectValue(answer)).toEqual({ externalRef: 'chk_1', handoff: 'https://shop.example/continue/chk_1' })
    expect(merchant.completions()).toBe(0)
    expectFailure(
      await shop.vendor.createOrder(usdOrder('po_2', { maxTotalFen: fen(WATER_TOTAL - 1) }), granted),
      'rejected',
    )
    expectFailure(await shop.vendor.createOrder(usdOrder('po_3'), denied), 'unsent')
    // A person said that nothing was bought: the page is closed before another one is opened.
    const again = await shop.vendor.createOrder(usdOrder('po_1', { isRecordedAsNotPlaced: true }), granted)
    expect(expectValue(again).handoff).not.toBe(expectValue(answer).handoff)
    expect(merchant.sessions.get('chk_1')?.status).toBe('canceled')
    await shop.vendor.close()
    await merchant.close()
  })
})
