import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { LedgerRecord } from '../../src/vendors/machine-vendor.ts'
import { failure, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'

const start = (...trades: LedgerRecord[]) => startService({ machine: scriptedMachine({}, trades) })

describe('6.3 order events for machine sales', () => {
  test('the ledger is polled every 5 minutes, and each new sale gets one event', async () => {
    const service = await start()
    await service.tick()
    service.clock.advance(MINUTE)
    const lines = [1, 2].map(() => ({
      vendorSku: 'G-0001',
      priceFen: fen(250),
      costFen: null,
      status: 'paid' as const,
    }))
    service.machine.trades.push(trade('T1', NOW + 30 * SECOND, { totalFen: fen(500), lines }))
    await service.tick()
    expect(await service.events('order')).toEqual([])
    for (let i = 0; i < 3; i += 1) {
      service.clock.advance(5 * MINUTE)
      await service.tick()
    }
    expect(await service.events('order')).toMatchObject([
      {
        kind: 'order',
        occurred_at: '2026-09-10T08:00:30.000+08:00',
        summary: 'Sale T1: 交易成功 at Hall (M1001), 2 items, ¥5.00',
        location: 'M1001',
      },
    ])
  })

  test('a sale gets one more event when its status changes', async () => {
    const service = await start()
    await service.job('poll-ledger')
    service.clock.advance(5 * MINUTE)
    service.machine.trades.push(trade('T1', NOW, { status: 'TRADE_PROCESSING', statusLabel: '处理中', settled: false }))
    await service.job('poll-ledger')
    service.clock.advance(5 * MINUTE)
    service.machine.trades[0] = trade('T1', NOW)
    await service.job('poll-ledger')
    service.clock.advance(5 * MINUTE)
    await service.job('poll-ledger')
    const events = await service.events('order')
    expect(events.map(({ params }) => params?.unpaid)).toEqual([undefined, 1])
    expect(events.map(({ summary }) => summary)).toEqual([
      'Sale T1: 交易成功 at Hall (M1001), 1 item, ¥2.50',
      'Sale T1: 处理中 at Hall (M1001), 1 item, ¥2.50',
    ])
  })

  test('sales found by a listing or a sync get their events at the next poll', async () => {
    const service = await start()
    await service.job('poll-ledger')
    service.clock.advance(MINUTE)
    service.machine.trades.push(trade('T1', NOW))
    await service.get('/orders')
    expect(await service.events('order')).toEqual([])
    await service.job('poll-ledger')
    expect(await service.events('order')).toHaveLength(1)
  })

  test('the history that a first reading finds is not news, the last hour is', async () => {
    const service = await start(
      trade('T1', NOW - 10 * DAY),
      trade('T2', NOW - 2 * HOUR),
      trade('T3', NOW - 30 * MINUTE),
      trade('T4', null),
    )
    await service.job('poll-ledger')
    expect((await service.events('order')).map(({ summary }) => summary.slice(5, 7))).toEqual(['T3'])
    service.clock.advance(5 * MINUTE)
    service.machine.trades[0] = trade('T1', NOW - 10 * DAY, {
      status: 'TRADE_REFUND',
      statusLabel: '已退款',
      settled: false,
    })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync')
    await service.job('poll-ledger')
    expect((await service.events('order'))[0].summary).toContain('T1: 已退款')
  })

  test('an upstream that fails is logged, and the poll goes on later', async () => {
    const service = await start(trade('T1', NOW))
    service.machine.script.next('ledger', { instead: failure('unknown', 'gateway') })
    await service.job('poll-ledger')
    expect(service.log).toContainEqual(
      expect.objectContaining({ level: 'warn', sentence: 'The ledger could not be read' }),
    )
    await service.job('poll-ledger')
    expect(await service.events('order')).toHaveLength(1)
  })

  test('two concurrent polls write one event per sale', async () => {
    const service = await start(...Array.from({ length: 250 }, (_, i) => trade(`T${i}`, NOW - i * SECOND)))
    await Promise.all([service.job('poll-ledger'), service.job('poll-ledger')])
    await service.job('poll-ledger')
    const events = await service.events('order')
    expect(events).toHaveLength(250)
    expect(new Set(events.map(({ summary }) => summary)).size).toBe(250)
  })
})
