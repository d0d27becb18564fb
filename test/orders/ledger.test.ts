import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listLedgerCoverage } from '../../src/route/sales/mirror-ledger.ts'
import { DAY, HOUR, localDay, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { LedgerLineStatus, LedgerRecord, MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { failure, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const codes = (body: Json): string[] => (body.messages ?? []).map(({ code }: { code: string }) => code)
const many = (count: number, from: number, stepMs: number): LedgerRecord[] =>
  Array.from({ length: count }, (_, i) => trade(`T${String(i).padStart(6, '0')}`, from - i * stepMs))
const start = (...trades: LedgerRecord[]) => startService({ machine: scriptedMachine({}, trades) })
const asked = (service: Service) =>
  service.machine.script.calls.filter(({ name }) => name === 'ledger').map(({ args }) => args[0] as Json)
const mirrored = async (service: Service): Promise<number> =>
  (await service.ctx.store.db.selectFrom('sale_transaction').select('order_no').execute()).length
const daily = (service: Service) =>
  service.ctx.store.db
    .selectFrom('sales_daily')
    .selectAll()
    .orderBy('location')
    .orderBy('vendor_sku')
    .orderBy('day')
    .execute()

describe('the mirror of the ledger', () => {
  test('the first reading asks for the whole ledger; later ones go back 2 hours, once an hour 48', async () => {
    const service = await start()
    await service.get('/orders')
    for (const minutes of [5, 5, 50, 5]) {
      service.clock.advance(minutes * MINUTE)
      await service.job('poll-ledger')
    }
    const [first, ...later] = asked(service)
    expect([first.fromMs, first.toMs >= NOW]).toEqual([0, true])
    const ends = [0, 5, 10, 60].map((minutes) => NOW + minutes * MINUTE)
    expect(later.map(({ fromMs }, i) => ((ends[i] ?? 0) - fromMs) / HOUR)).toEqual([2, 2, 48, 2])
  })

  test('is read at most once every 10 seconds, and once for all who ask at the same time', async () => {
    const service = await start(trade('T1', NOW - MINUTE))
    await Promise.all([service.get('/orders'), service.get('/orders'), service.get('/orders')])
    expect(asked(service)).toHaveLength(1)
    service.clock.advance(9 * SECOND)
    await service.get('/orders')
    expect(asked(service)).toHaveLength(1)
    service.clock.advance(SECOND)
    await service.get('/orders')
    expect(asked(service)).toHaveLength(2)
  })

  test('4.5 reads up to 20 pages, then warns history_truncated; later readings fetch the rest', async () => {
    const service = await start(...many(4500, NOW - MINUTE, 5 * MINUTE))
    const first = await service.get('/orders')
    expect(asked(service)).toHaveLength(20)
    expect(codes(first.body)).toEqual(['history_truncated'])
    expect(await mirrored(service)).toBe(2000)
    // What was asked for is complete, so there is nothing to warn of.
    expect(codes((await service.get('/orders?from=2026-09-09T00:00:00%2B08:00')).body)).toEqual([])

    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    expect(asked(service)).toHaveLength(40)
    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    expect(await mirrored(service)).toBe(4500)
    expect(codes((await service.get('/orders')).body)).toEqual([])
    const calls = asked(service).length
    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    expect(asked(service)).toHaveLength(calls)
  })

  test('a long outage leaves a gap that is reported and filled', async () => {
    const service = await start(trade('T-old', NOW - HOUR))
    await service.get('/orders')
    service.clock.advance(10 * DAY)
    service.machine.trades.push(...many(2500, service.clock.now() - MINUTE, 4 * MINUTE))
    expect(codes((await service.get('/orders')).body)).toEqual(['history_truncated'])
    expect(codes((await service.get('/orders?to=2026-09-10T07:30:00%2B08:00')).body)).toEqual([])
    service.clock.advance(15 * SECOND)
    expect(codes((await service.get('/orders')).body)).toEqual([])
    expect(await mirrored(service)).toBe(2501)
  })

  test('4.5 sales of years ago are listed, too, without a from and without a warning', async () => {
    const service = await start(trade('T-new', NOW - HOUR), trade('T-old', NOW - 900 * DAY))
    const { body } = await service.get('/orders')
    expect(body.orders.map(({ id }: Json) => id)).toEqual(['T-new', 'T-old'])
    expect(codes(body)).toEqual([])
    expect(codes((await service.get('/orders?from=2020-01-01T00:00:00%2B08:00')).body)).toEqual([])
  })

  test('a mirror of an earlier version, which covers 30 days, is completed in the background', async () => {
    const service = await start(...many(300, NOW - MINUTE, 4 * HOUR))
    await service.ctx.store.db
      .insertInto('ledger_mirror')
      .values({
        namespace: 'acme-machine',
        covered_from: NOW - 30 * DAY,
        covered_to: NOW - 30 * DAY + 1,
        announce_from: NOW,
        read_at: NOW - DAY,
        writes: 0,
      })
      .execute()
    await service.job('backfill-ledger')
    expect(await mirrored(service)).toBe(300)
    expect(codes((await service.get('/orders')).body)).toEqual([])
  })

  const refund = (orderNo: string, at: number): LedgerRecord =>
    trade(orderNo, at, {
      status: 'TRADE_REFUND',
      statusLabel: '已退款',
      settled: false,
      lines: [{ vendorSku: 'G-0001', priceFen: fen(250), costFen: null, status: 'refunded' }],
    })
  const slotSales = async (service: Service): Promise<string[]> =>
    (await service.ctx.store.db.selectFrom('slot_sales').select('sold').execute()).map(({ sold }) => sold)

  test('a sale 20 minutes late is listed and announced once, without a sync', async () => {
    const service = await start(trade('T1', NOW - MINUTE))
    await service.job('poll-ledger')
    service.clock.advance(20 * MINUTE)
    await service.job('poll-ledger')
    service.machine.trades.push(trade('T-late', NOW - 30 * SECOND))
    for (let polls = 0; polls < 3; polls += 1) {
      service.clock.advance(5 * MINUTE)
      await service.job('poll-ledger')
    }
    expect((await service.get('/orders')).body.orders.map(({ id }: Json) => id)).toEqual(['T-late', 'T1'])
    expect((await service.events('order')).filter(({ summary }) => summary.includes('T-late'))).toHaveLength(1)
  })

  test('a refund within 2 hours is seen by the next poll, one within 48 hours within the hour: roll-up, series, event', async () => {
    const service = await start(trade('T1', NOW - HOUR), trade('T2', NOW - 40 * HOUR))
    await service.job('poll-ledger')
    service.machine.trades.splice(0, 2, refund('T1', NOW - HOUR), refund('T2', NOW - 40 * HOUR))
    service.clock.advance(5 * MINUTE)
    await service.job('poll-ledger')
    const day = async () => (await daily(service)).map(({ units, revenue }) => [units, revenue])
    expect(await day()).toEqual([[1, 250]])
    expect((await slotSales(service)).join().split(',')).toHaveLength(1)
    service.clock.advance(HOUR)
    await service.job('poll-ledger')
    expect(await day()).toEqual([])
    expect(await slotSales(service)).toEqual([])
    await service.job('poll-ledger')
    const told = (await service.events('order')).map(({ summary }) => summary)
    expect(told.filter((text) => text.includes('已退款'))).toEqual([
      'Sale T2: 已退款 at Hall (M1001), 1 item (1 refunded), ¥2.50',
      'Sale T1: 已退款 at Hall (M1001), 1 item (1 refunded), ¥2.50',
    ])
  })

  test('one refunded line of a sale that keeps its status is announced, too', async () => {
    const service = await start(trade('T1', NOW - HOUR))
    await service.job('poll-ledger')
    service.machine.trades[0] = trade('T1', NOW - HOUR, { lines: refund('T1', NOW).lines })
    for (let polls = 0; polls < 2; polls += 1) {
      service.clock.advance(5 * MINUTE)
      await service.job('poll-ledger')
    }
    const told = (await service.events('order')).map(({ summary }) => summary)
    expect(told.filter((text) => text.includes('refunded'))).toHaveLength(1)
  })

  test('a re-read longer than one reading continues in the background, and never marks known sales as missing', async () => {
    const service = await start(...many(2500, NOW - MINUTE, MINUTE))
    await service.get('/orders')
    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    expect(await mirrored(service)).toBe(2500)
    const oldest = NOW - MINUTE - 2499 * MINUTE
    service.machine.trades[2499] = refund('T002499', oldest)
    service.clock.advance(HOUR)
    const before = asked(service).length
    await service.job('poll-ledger')
    expect(asked(service).length - before).toBe(20)
    expect(codes((await service.get('/orders')).body)).toEqual([])
    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    const { status } = await service.ctx.store.db
      .selectFrom('sale_transaction')
      .select('status')
      .where('order_no', '=', 'T002499')
      .executeTakeFirstOrThrow()
    expect(status).toBe('TRADE_REFUND')
    const calls = asked(service).length
    service.clock.advance(15 * SECOND)
    await service.job('backfill-ledger')
    expect(asked(service)).toHaveLength(calls)
  })

  test('late and out-of-order sales within the overlap are found', async () => {
    const service = await start(trade('T1', NOW - MINUTE))
    await service.get('/orders')
    service.clock.advance(5 * MINUTE)
    service.machine.trades.unshift(trade('T-late', NOW - 9 * MINUTE))
    const { body } = await service.get('/orders')
    expect(body.orders.map(({ id }: Json) => id)).toEqual(['T1', 'T-late'])
  })

  test('a refund days later is found by the next sync, and the roll-up corrected', async () => {
    const service = await start(trade('T1', NOW - 3 * DAY), trade('T2', NOW - 3 * DAY))
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync')
    expect(await daily(service)).toMatchObject([{ units: 2, revenue: 500 }])
    service.clock.advance(HOUR)
    service.machine.trades[0] = trade('T1', NOW - 3 * DAY, {
      status: 'TRADE_REFUND',
      settled: false,
      lines: [{ vendorSku: 'G-0001', priceFen: fen(250), costFen: null, status: 'refunded' }],
    })
    expect((await service.post('/locations/sync')).body.sales).toBe(1)
    expect(await daily(service)).toMatchObject([{ units: 1, revenue: 250 }])
    expect((await service.get('/orders/T1')).body.trade_status).toBe('TRADE_REFUND')
  })

  test('history longer than one reading is swept a stretch at a time', async () => {
    const service = await start(...many(3000, NOW - MINUTE, 10 * MINUTE))
    await service.put('/locations/M1001', { name: 'Hall' })
    for (let i = 0; i < 2; i += 1) {
      await service.post('/locations/sync')
      service.clock.advance(MINUTE)
    }
    expect((await listLedgerCoverage(service.ctx.store.db))[0]?.gap).toBeUndefined()
    const oldest = service.machine.trades[2999] as LedgerRecord
    service.machine.trades[2999] = { ...oldest, status: 'TRADE_REFUND', settled: false }
    for (let i = 0; i < 3; i += 1) {
      const before = asked(service).length
      await service.post('/locations/sync')
      expect(asked(service).length - before).toBeLessThanOrEqual(20)
      service.clock.advance(MINUTE)
    }
    expect((await service.get(`/orders/${oldest.orderNo}`)).body.trade_status).toBe('TRADE_REFUND')
  })

  test('a sync over a shorter window, while a longer one is being swept, asks for no window that ends before it begins', async () => {
    const service = await start(...many(3000, NOW - MINUTE, 13 * MINUTE))
    await service.put('/locations/M1001', { name: 'Hall' })
    for (let i = 0; i < 3; i += 1) {
      await service.post('/locations/sync')
      service.clock.advance(MINUTE)
    }
    await service.post('/locations/sync', { sales_window_days: 21 })
    await service.post('/locations/sync', { sales_window_days: 21 })
    for (const { fromMs, toMs } of asked(service)) expect(fromMs).toBeLessThan(toMs)
  })

  test('pages that shift while they are read lose nothing and count nothing twice', async () => {
    const trades = many(350, NOW - MINUTE, MINUTE)
    const books = scriptedMachine({}, trades)
    let arriving = 3
    const vendor: MachineVendor = {
      ...books.vendor,
      ledger: async (query) => {
        const answer = await books.vendor.ledger(query)
        // After each of the first pages somebody buys: everything moves down by some.
        if (arriving-- > 0) trades.unshift(...[1, 2, 3].map((n) => trade(`N${arriving}-${n}`, NOW - n * SECOND)))
        return answer
      },
    }
    const service = await startService({ entries: [registerLive('acme-machine' as Namespace, vendor)] })
    await service.get('/orders')
    expect(await mirrored(service)).toBe(359)
    expect((await daily(service)).reduce((sum, { units }) => sum + units, 0)).toBe(359)
  })

  test('what was read before the upstream failed stays, and the rest is fetched next time', async () => {
    const service = await start(...many(250, NOW - MINUTE, MINUTE))
    service.machine.script.next('ledger', 'pass', { instead: failure('unknown') })
    expect((await service.get('/orders')).status).toBe(502)
    expect(await mirrored(service)).toBe(100)
    const { status, body } = await service.get('/orders')
    expect([status, codes(body)]).toEqual([200, []])
    expect(await mirrored(service)).toBe(250)
  })

  test('every machine platform has its own mirror; one that fails does not stop the others', async () => {
    const one = scriptedMachine({}, [trade('T1', NOW - MINUTE)])
    const two = scriptedMachine({}, [trade('T1', NOW - MINUTE), trade('T2', NOW - 2 * MINUTE)])
    const service = await startService({
      entries: [
        registerLive('one-machine' as Namespace, one.vendor),
        registerLive('two-machine' as Namespace, two.vendor),
      ],
    })
    one.script.next('ledger', { instead: failure('unknown') })
    expect((await service.get('/orders')).status).toBe(502)
    expect(await mirrored(service)).toBe(2)
    expect((await service.get('/orders')).body.orders).toHaveLength(3)
  })

  test('a sale without a valid time is stored, logged and counted nowhere', async () => {
    const service = await start(trade('T1', null, { createdAtRaw: '0000-00-00 00:00:00' }))
    await service.put('/locations/M1001', { name: 'Hall' })
    const { body } = await service.post('/locations/sync')
    expect(body.sales).toBe(0)
    expect(codes(body)).toEqual(['sync_problem'])
    expect(await daily(service)).toEqual([])
    service.clock.advance(MINUTE)
    await service.get('/orders')
    expect(service.log.filter(({ sentence }) => sentence.startsWith('Sales without a valid timestamp'))).toHaveLength(1)
  })
})

describe('3.4 only paid lines count in sales statistics', () => {
  const status = fc.constantFrom<LedgerLineStatus>('paid', 'unpaid', 'refunded', 'refund_failed', 'cancelled')
  const record = fc.record({
    n: fc.integer({ min: 0, max: 12 }),
    location: fc.constantFrom('M1', 'M2'),
    hoursAgo: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 8 }),
    lines: fc.array(fc.record({ sku: fc.constantFrom('A', 'B'), price: fc.integer({ min: 0, max: 900 }), status }), {
      maxLength: 4,
    }),
  })

  test('whatever the ledger says, and however often it changes its mind, the roll-up equals a recount', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(record, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (readings) => {
          const service = await start()
          const books = new Map<string, LedgerRecord>()
          for (const reading of readings) {
            for (const { n, location, hoursAgo, lines } of reading)
              books.set(
                `T${n}`,
                trade(`T${n}`, hoursAgo === null ? null : NOW - hoursAgo * HOUR, {
                  locationId: location,
                  lines: lines.map(({ sku, price, status: paid }) => ({
                    vendorSku: sku,
                    priceFen: fen(price),
                    costFen: null,
                    status: paid,
                  })),
                }),
              )
            service.machine.trades.splice(0, Infinity, ...books.values())
            await service.put('/locations/M1', { name: 'x' })
            await service.post('/locations/sync')
            service.clock.advance(MINUTE)
          }
          const recount = new Map<string, { units: number; revenue: number; last_at: number }>()
          for (const { createdAt, locationId, lines } of books.values())
            for (const { vendorSku, priceFen, status: paid } of lines) {
              if (createdAt === null || paid !== 'paid') continue
              const key = `${locationId} ${vendorSku} ${localDay(createdAt, 'Asia/Shanghai')}`
              const { units, revenue, last_at } = recount.get(key) ?? { units: 0, revenue: 0, last_at: 0 }
              recount.set(key, { units: units + 1, revenue: revenue + priceFen, last_at: Math.max(last_at, createdAt) })
            }
          const rows = (await daily(service)).map(
            ({ location, vendor_sku, day, units, revenue, last_at }) =>
              [`${location} ${vendor_sku} ${day}`, { units, revenue, last_at }] as const,
          )
          expect(new Map(rows)).toEqual(recount)
        },
      ),
      { numRuns: 25 },
    )
  })
})
