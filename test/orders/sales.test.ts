import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { encodeCursor } from '../../src/lib/pages.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { LedgerLine, LedgerLineStatus, LedgerRecord } from '../../src/vendors/machine-vendor.ts'
import { plannedVendor } from '../../src/vendors/registry.ts'
import { failure, machineSlot, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { type Json, type Service, NOW, startService } from '../support/service.ts'

const line = (status: LedgerLineStatus, priceFen = 250): LedgerLine => ({
  vendorSku: 'G-0001',
  priceFen: fen(priceFen),
  costFen: fen(120),
  status,
})
const withTrades = (...sales: LedgerRecord[]) => startService({ machine: scriptedMachine({}, sales) })
const ids = ({ body }: { readonly body: Json }): string[] => body.orders.map(({ id }: { id: string }) => id)
const codes = (body: Json): string[] => (body.messages ?? []).map(({ code }: { code: string }) => code)

describe('3.4 a ledger line as a line of an order', () => {
  const rows = [
    ['paid', 'fulfilled', [1, 1, 1], []],
    ['unpaid', 'processing', [1, 1, 0], []],
    ['refunded', 'removed', [1, 0, 0], [['refund', 'completed', -250]]],
    ['refund_failed', 'fulfilled', [1, 1, 1], [['refund', 'failed', undefined]]],
    ['cancelled', 'removed', [1, 0, 0], [['cancellation', 'completed', undefined]]],
  ] as const
  for (const [ledgerStatus, status, quantity, adjustments] of rows)
    test(`${ledgerStatus} is ${status}`, async () => {
      const service = await withTrades(trade('T1', NOW - MINUTE, { lines: [line(ledgerStatus)] }))
      const { body } = await service.get('/orders/T1')
      const [first] = body.line_items
      expect(first.status).toBe(status)
      expect([first.quantity.original, first.quantity.total, first.quantity.fulfilled]).toEqual(quantity)
      expect((body.adjustments ?? []).map((one: Json) => [one.type, one.status, one.totals?.[0].amount])).toEqual(
        adjustments,
      )
      const dispensed = quantity[2] === 1 ? [{ id: first.id, quantity: 1 }] : undefined
      expect(body.fulfillment.events[0]?.line_items).toEqual(dispensed)
      // As sold: what went back is in the adjustments.
      expect(body.totals).toEqual([
        { type: 'subtotal', amount: 250 },
        { type: 'total', amount: 250 },
      ])
    })
})

describe('4.5 GET /orders/{id}', () => {
  test('2.2 a purchase order number that is the number of a sale is refused: it would hide the sale', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] }, [trade('T1', NOW - MINUTE)])
    const service = await startService({ machine })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync')
    const buy = { id: 'T1', line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }] }
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await service.post(`/checkout-sessions${query}`, buy)
      expect([status, body.messages[0].code, body.messages[0].path]).toEqual([409, 'conflict', '$.id'])
    }
    expect((await service.get('/orders/T1')).body.kind).toBe('sale')
  })

  test('2.7 a sale looks like this', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001', { title: 'Water' })] }, [
      trade('T1', NOW - MINUTE, { totalFen: fen(500), lines: [line('paid'), line('refunded')] }),
    ])
    const service = await startService({ machine })
    await service.put('/locations/M1001', { name: 'Hall', profile: { city: '上海', address: 'Century Avenue 1' } })
    await service.post('/locations/sync')
    const { status, body } = await service.get('/orders/T1')
    expect(status).toBe(200)
    const { ucp, ...order } = body
    expect(Object.keys(ucp.capabilities)).toContain('com.example.vending.order')
    expect(order).toEqual({
      id: 'T1',
      checkout_id: 'T1',
      permalink_url: 'https://vending.example.com/orders/T1',
      currency: 'CNY',
      kind: 'sale',
      created_at: '2026-09-10T07:59:00.000+08:00',
      line_items: [1, 2].map((n) => ({
        id: `li_${n}`,
        item: {
          id: 'acme-machine:G-0001',
          title: 'Water',
          price: 250,
          quantity_unit: { unit: 'EA', display_text: 'each', increment: 1 },
        },
        quantity: n === 1 ? { original: 1, total: 1, fulfilled: 1 } : { original: 1, total: 0, fulfilled: 0 },
        totals: [
          { type: 'subtotal', amount: 250 },
          { type: 'total', amount: 250 },
        ],
        status: n === 1 ? 'fulfilled' : 'removed',
      })),
      fulfillment: {
        expectations: [
          {
            id: 'T1:dispense',
            line_items: [{ id: 'li_1', quantity: 1 }],
            method_type: 'vending_dispense',
            destination: { street_address: 'Century Avenue 1', address_locality: '上海' },
          },
        ],
        events: [
          {
            id: 'T1:dispensed',
            type: 'dispensed',
            occurred_at: '2026-09-10T07:59:00.000+08:00',
            line_items: [{ id: 'li_1', quantity: 1 }],
          },
        ],
      },
      totals: [
        { type: 'subtotal', amount: 500 },
        { type: 'total', amount: 500 },
      ],
      adjustments: [
        {
          id: 'li_2:refunded',
          type: 'refund',
          status: 'completed',
          occurred_at: '2026-09-10T07:59:00.000+08:00',
          line_items: [{ id: 'li_2', quantity: -1 }],
          totals: [{ type: 'total', amount: -250 }],
        },
      ],
      location: 'M1001',
      location_name: 'Hall',
      trade_status: 'TRADE_SUCCESS',
      trade_status_label: '交易成功',
    })
  })

  test('5.8 shows no cost', async () => {
    const service = await withTrades(trade('T1', NOW - MINUTE))
    expect((await service.get('/orders/T1')).text).not.toContain('120')
  })

  test('a sum that differs from the prices is shown as a discount or a fee, so that the totals add up', async () => {
    const service = await withTrades(
      trade('T1', NOW - MINUTE, { totalFen: fen(200) }),
      trade('T2', NOW - MINUTE, { totalFen: fen(260) }),
    )
    const totals = async (id: string) => (await service.get(`/orders/${id}`)).body.totals
    expect(await totals('T1')).toContainEqual({ type: 'discount', amount: -50 })
    expect(await totals('T2')).toContainEqual({ type: 'fee', amount: 10 })
  })

  test('a refund found later has the time it was found, and keeps that time', async () => {
    const service = await withTrades(trade('T1', NOW - MINUTE))
    await service.get('/orders')
    service.clock.advance(MINUTE)
    service.machine.trades[0] = trade('T1', NOW - MINUTE, {
      status: 'TRADE_REFUND',
      settled: false,
      lines: [line('refunded')],
    })
    await service.get('/orders')
    service.clock.advance(HOUR)
    const { body } = await service.get('/orders/T1')
    expect(body.trade_status).toBe('TRADE_REFUND')
    expect(body.adjustments).toMatchObject([{ occurred_at: '2026-09-10T08:01:00.000+08:00' }])
    expect((await service.get('/orders/T1')).text).toBe((await service.get('/orders/T1')).text)
  })

  test('a sale of this minute is found; an unknown id is 404; a ledger that fails is 502', async () => {
    const service = await withTrades()
    expect((await service.get('/orders/T1')).status).toBe(404)
    service.clock.advance(11 * SECOND)
    service.machine.trades.push(trade('T1', service.clock.now()))
    expect((await service.get('/orders/T1')).status).toBe(200)
    service.clock.advance(11 * SECOND)
    service.machine.script.always('ledger', failure('unknown', 'gateway'))
    const down = await service.get('/orders/T2')
    expect([down.status, codes(down.body)]).toEqual([502, ['upstream_unreachable']])
    expect((await service.get('/orders/T1')).status).toBe(200)
  })
})

describe('4.5 GET /orders/{id} of a sale, as it is now', () => {
  const OLD = NOW - 20 * DAY
  const asked = (service: Service): Json[] =>
    service.machine.script.calls.filter(({ name }) => name === 'ledger').map(({ args }) => args[0] as Json)

  test('the platform is read for the hour around it, unless it was read in the last 15 seconds', async () => {
    const service = await withTrades(trade('T1', OLD))
    await service.get('/orders')
    service.machine.trades[0] = trade('T1', OLD, { status: 'TRADE_REFUND', settled: false, lines: [line('refunded')] })
    service.clock.advance(14 * SECOND)
    expect((await service.get('/orders/T1')).body.trade_status).toBe('TRADE_SUCCESS')
    service.clock.advance(SECOND)
    const before = asked(service).length
    expect((await service.get('/orders/T1')).body.trade_status).toBe('TRADE_REFUND')
    expect(asked(service).slice(before)).toMatchObject([{ fromMs: OLD - 30 * MINUTE, toMs: OLD + 30 * MINUTE }])
    service.clock.advance(14 * SECOND)
    await service.get('/orders/T1')
    expect(asked(service)).toHaveLength(before + 1)
    // The read of a single sale is announced too: its event comes with the next poll.
    await service.job('poll-ledger')
    expect((await service.events('order'))[0].summary).toContain('1 refunded')
  })

  test('a platform that fails is 502, also for a known sale', async () => {
    const service = await withTrades(trade('T1', OLD))
    await service.get('/orders')
    service.clock.advance(MINUTE)
    service.machine.script.always('ledger', failure('unknown', 'gateway'))
    const { status, body } = await service.get('/orders/T1')
    expect([status, codes(body)]).toEqual([502, ['upstream_unreachable']])
  })

  test('an unknown id is looked for in the last 48 hours before it is 404', async () => {
    const service = await withTrades(trade('T1', NOW - HOUR))
    await service.get('/orders')
    service.clock.advance(6 * HOUR)
    await service.get('/orders')
    service.clock.advance(5 * MINUTE)
    service.machine.trades.push(trade('T-late', NOW - 30 * HOUR))
    expect((await service.get('/orders/T-late')).status).toBe(200)
    const before = asked(service).length
    service.clock.advance(11 * SECOND)
    expect((await service.get('/orders/T-nowhere')).status).toBe(404)
    const first = asked(service).length
    expect(first).toBeGreaterThan(before)
    for (const id of ['T-2', 'T-3', 'T-nowhere']) expect((await service.get(`/orders/${id}`)).status).toBe(404)
    // Requests for ids that do not exist must not make the service read the ledger each time.
    expect(asked(service)).toHaveLength(first)
  })

  test('a search for an unknown id ends with the page limit, and says that older sales are still being read', async () => {
    const sales = Array.from({ length: 4500 }, (_, i) => trade(`T${String(i).padStart(5, '0')}`, NOW - i * MINUTE))
    const service = await withTrades(...sales)
    await service.get('/orders')
    service.clock.advance(16 * SECOND)
    const before = asked(service).length
    const { status, body } = await service.get('/orders/T-nowhere')
    expect(status).toBe(404)
    expect(body.messages[0].content).toMatch(/Sales before .* are still being read\.$/)
    expect(asked(service).length - before).toBeLessThanOrEqual(40)
  })
})

describe('4.5 GET /orders', () => {
  const settled = (n: number, at: number, more: Partial<LedgerRecord> = {}) =>
    trade(`T${String(n).padStart(4, '0')}`, at, more)

  test('lists sales newest first, each with an envelope of its own', async () => {
    const service = await withTrades(
      settled(1, NOW - 3 * MINUTE),
      settled(2, NOW - MINUTE),
      settled(3, NOW - 2 * MINUTE),
    )
    const answer = await service.get('/orders')
    expect(ids(answer)).toEqual(['T0002', 'T0003', 'T0001'])
    expect(answer.body.pagination).toEqual({ has_next_page: false })
    for (const order of answer.body.orders) expect(order.ucp.status).toBe('success')
  })

  test('returns settled sales, and with trade_status=all every status', async () => {
    const service = await withTrades(
      settled(1, NOW - MINUTE),
      settled(2, NOW - 2 * MINUTE, { status: 'TRADE_CLOSED', settled: false }),
    )
    expect(ids(await service.get('/orders'))).toEqual(['T0001'])
    expect(ids(await service.get('/orders?trade_status=TRADE_SUCCESS_MANUAL'))).toEqual(['T0001'])
    expect(ids(await service.get('/orders?trade_status=TRADE_CLOSED'))).toEqual(['T0001'])
    expect(ids(await service.get('/orders?trade_status=all'))).toEqual(['T0001', 'T0002'])
  })

  test('filters by location, from and to', async () => {
    const service = await withTrades(
      settled(1, NOW - HOUR),
      settled(2, NOW - 2 * HOUR, { locationId: 'M2' }),
      settled(3, NOW - 3 * HOUR, { locationId: 'M2' }),
    )
    const list = async (query: string) => ids(await service.get(`/orders?${query}`))
    expect(await list('location=M2')).toEqual(['T0002', 'T0003'])
    expect(await list('location=M9')).toEqual([])
    expect(await list('from=2026-09-10T06:00:00%2B08:00')).toEqual(['T0001', 'T0002'])
    expect(await list('to=2026-09-09T22:00:00Z')).toEqual(['T0002', 'T0003'])
    expect(await list('location=M2&from=2026-09-10T05:00:00%2B08:00&to=2026-09-10T05:30:00%2B08:00')).toEqual(['T0003'])
  })

  test('8 limit is 100 by default and at most 100', async () => {
    const service = await withTrades(...Array.from({ length: 101 }, (_, i) => settled(i, NOW - i * MINUTE)))
    const first = await service.get('/orders')
    expect(first.body.orders).toHaveLength(100)
    expect(first.body.pagination.has_next_page).toBe(true)
    for (const limit of ['101', '0', '-1', 'x', '1.5']) {
      const { status, body } = await service.get(`/orders?limit=${limit}`)
      expect([limit, status, body.messages[0].code, body.messages[0].path]).toEqual([limit, 400, 'invalid', '$.limit'])
    }
  })

  test('the cursor walks every sale once while new ones arrive, also those of one instant', async () => {
    const service = await withTrades(
      ...Array.from({ length: 25 }, (_, i) => settled(i, NOW - HOUR - Math.floor(i / 5) * MINUTE)),
      trade('T-undated', null, { createdAtRaw: '0000-00-00 00:00:00' }),
    )
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await service.get(`/orders?limit=4${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      seen.push(...ids(page))
      cursor = page.body.pagination.cursor
      service.clock.advance(11 * SECOND)
      service.machine.trades.push(settled(100 + seen.length, service.clock.now()))
    } while (cursor !== undefined)
    expect(seen).toHaveLength(26)
    expect(new Set(seen).size).toBe(26)
    expect(seen.at(-1)).toBe('T-undated')
  })

  test('refuses a cursor it did not make and a time without an offset', async () => {
    const service = await withTrades()
    for (const query of [
      'cursor=abc',
      'cursor=WzEsMl0',
      `cursor=${encodeCursor(1, 'T1\u0000', 'acme-machine')}`,
      'from=2026-09-10',
      'to=2026-09-10T08:00:00',
      'kind=gift',
      'location=a/b',
    ]) {
      const { status, body } = await service.get(`/orders?${query}`)
      expect([query, status, codes(body)]).toEqual([query, 400, ['invalid']])
    }
  })

  test('a sale of which only two readings of a counter are known says so', async () => {
    const createdAtRaw = '2026-09-01T08:00:00.000Z/2026-09-08T08:00:00.000Z'
    const service = await withTrades(
      trade('T-dex', NOW - 4 * DAY, { createdAtRaw }),
      trade('T-damaged', NOW - 5 * DAY, { createdAtRaw: '2026/09' }),
      settled(1, NOW - DAY),
    )
    const { body } = await service.get('/orders?trade_status=all')
    const between = { from: '2026-09-01T16:00:00.000+08:00', to: '2026-09-08T16:00:00.000+08:00' }
    expect(new Map(body.orders.map((order: Json) => [order.id, order.sold_between]))).toEqual(
      new Map([
        ['T0001', undefined],
        ['T-dex', between],
        ['T-damaged', undefined],
      ]),
    )
  })

  test('a sale whose time cannot be read is listed last with a warning, and not when a time range is given', async () => {
    const service = await withTrades(trade('T-undated', null, { createdAtRaw: '' }), settled(1, NOW - DAY))
    const { body } = await service.get('/orders')
    expect(ids({ body })).toEqual(['T0001', 'T-undated'])
    expect(body.orders[1]).not.toHaveProperty('created_at')
    expect(codes(body.orders[1])).toEqual(['sync_problem'])
    expect(ids(await service.get('/orders?from=2000-01-01T00:00:00Z'))).toEqual(['T0001'])
  })

  test('an upstream failure is 502, refused credentials 401, and 429 says when to come back', async () => {
    const service = await withTrades(settled(1, NOW - MINUTE))
    service.machine.script.next(
      'ledger',
      { instead: failure('unknown', 'gateway') },
      { instead: failure('unauthorized', 'bad secret') },
      { instead: failure('limited', 'slow down', { retryAfter: 7 }) },
    )
    const answers = [await service.get('/orders'), await service.get('/orders'), await service.get('/orders')]
    expect(answers.map(({ status, body }) => [status, ...codes(body)])).toEqual([
      [502, 'upstream_unreachable'],
      [401, 'unauthorized'],
      [502, 'upstream_unreachable'],
    ])
    expect(answers[2]?.headers['retry-after']).toBe('7')
    expect(ids(await service.get('/orders'))).toEqual(['T0001'])
  })

  test('2.9 without a live machine platform sales are namespace_unsupported, never an empty list; purchases are listed', async () => {
    const service = await startService({ entries: [plannedVendor('acme-machine' as Namespace)] })
    const { status, body } = await service.get('/orders')
    expect([status, codes(body)]).toEqual([400, ['namespace_unsupported']])
    expect((await service.get('/orders?kind=purchase')).status).toBe(200)
  })

  test('6 reads write no event', async () => {
    const service = await withTrades(settled(1, NOW - MINUTE))
    await service.get('/orders')
    await service.get('/orders/T0001')
    expect(await service.events()).toEqual([])
  })

  test('5 needs the token', async () => {
    const service: Service = await withTrades()
    expect((await service.get('/orders', { token: null })).status).toBe(401)
  })
})
