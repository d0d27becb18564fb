import { describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { LedgerLineStatus } from '../../src/vendors/machine-vendor.ts'
import { failure, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'

const lines = (...statuses: LedgerLineStatus[]) =>
  statuses.map((status) => ({ vendorSku: 'G-0001', priceFen: fen(250), costFen: null, status }))

async function withSales() {
  const machine = scriptedMachine({}, [
    trade('T1', NOW - MINUTE, { lines: lines('paid', 'paid', 'refunded', 'refund_failed') }),
    trade('T2', NOW - 2 * MINUTE, { locationId: 'M1002' }),
    trade('T3', NOW - DAY, { lines: lines('paid', 'unpaid', 'cancelled') }),
    trade('T4', NOW - 20 * DAY),
  ])
  const service = await startService({ machine })
  await service.job('poll-ledger')
  return service
}

describe('4.5 GET /sales/daily', () => {
  test('3.4 only paid lines count, day by day in the zone of the operator, oldest first', async () => {
    const service = await withSales()
    const { body } = await service.get('/sales/daily')
    expect([body.from, body.to]).toEqual(['2026-08-12', '2026-09-10'])
    expect(body.days).toEqual([
      { day: '2026-08-21', units: 1, revenue: 250 },
      { day: '2026-09-09', units: 1, revenue: 250 },
      { day: '2026-09-10', units: 3, revenue: 750 },
    ])
  })

  test('one machine, and a stretch of days, both ends included', async () => {
    const service = await withSales()
    expect((await service.get('/sales/daily?location=M1002')).body.days).toEqual([
      { day: '2026-09-10', units: 1, revenue: 250 },
    ])
    expect((await service.get('/sales/daily?from=2026-08-21&to=2026-09-09')).body.days).toHaveLength(2)
    expect((await service.get('/sales/daily?location=M9')).body.days).toEqual([])
  })

  test('the platform is not called, so a chart is available while it is down', async () => {
    const service = await withSales()
    service.machine.script.always('ledger', failure('unsent'))
    expect((await service.get('/sales/daily')).status).toBe(200)
  })

  test.each(['2026-02-31', '2026-13-01', 'today', '20260910'])('%s is no day', async (day) => {
    const service = await startService()
    const { status, body } = await service.get(`/sales/daily?to=${day}`)
    expect([status, body.messages[0].code, body.messages[0].path]).toEqual([400, 'invalid', '$.to'])
  })
})
