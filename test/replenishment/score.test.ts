import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot, trade } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import { COLA, create, MACHINE, salesOf, routeSlots, slotOf, startRoute, sync, usualSales } from './route.ts'

const score = async (service: Service, query = ''): Promise<Json> =>
  (await service.get(`/replenishment/score${query}`)).body
const forecasts = (service: Service) =>
  service.ctx.store.db.selectFrom('forecast').selectAll().orderBy('day').orderBy('vendor_sku').execute()

/** Full machines that sell three cola and one tea a day, also on the days that pass in the test. */
const well = () => routeSlots().map((slot) => ({ ...slot, stock: 50 }))
async function live(service: Service, days: number): Promise<void> {
  for (let i = 0; i < days; i++) {
    const day = service.clock.now() + DAY
    service.machine.trades.push(
      ...salesOf({ vendorSku: 'G-1', perDay: 3, days: 1 }, day).map((each) => ({
        ...each,
        orderNo: `${day}-1-${each.createdAt}`,
      })),
      ...salesOf({ vendorSku: 'G-2', perDay: 1, days: 1 }, day).map((each) => ({
        ...each,
        orderNo: `${day}-2-${each.createdAt}`,
      })),
    )
    service.clock.advance(DAY - MINUTE)
    await sync(service)
    await service.job('record-forecasts')
  }
}

describe('4.7 GET /replenishment/score', () => {
  test('with no forecast there is nothing: null metrics, never a false zero', async () => {
    const service = await startRoute()
    const body = await score(service)
    expect(body).toMatchObject({
      horizon_days: 7,
      total_forecasts: 0,
      pending: 0,
      reports: { slots: [], by_location: {} },
    })
    expect(body.reports.overall).toMatchObject({ scored: 0, mae: null, wape: null, bias: null, first_made_at: null })
  })

  test('forecasts too young are pending, and reported apart from those scored', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: well() } })
    await service.job('record-forecasts')
    expect(await score(service)).toMatchObject({ total_forecasts: 3, pending: 3, reports: { overall: { scored: 0 } } })
    await live(service, 6)
    expect(await score(service)).toMatchObject({ total_forecasts: 21, pending: 21 })
    await live(service, 2)
    const body = await score(service)
    // The second day's are a week old, but the ledger was last read a minute before that.
    expect(body).toMatchObject({ total_forecasts: 27, pending: 24 })
    expect(body.reports.overall.scored).toBe(3)
  })

  test('any horizon can be scored of the same forecasts', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: well() } })
    await service.job('record-forecasts')
    await live(service, 8)
    for (const horizon of [1, 3, 8, 90]) {
      const body = await score(service, `?horizon_days=${horizon}`)
      const { scored, excluded } = body.reports.overall
      expect(body.horizon_days).toBe(horizon)
      expect(scored + excluded + body.pending).toBe(body.total_forecasts)
    }
    expect((await score(service, '?horizon_days=90')).pending).toBe(27)
  })

  test('a forecast of what then happens scores well, by slot, machine, speed and evidence', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: well() } })
    await service.job('record-forecasts')
    await live(service, 9)
    const { reports } = await score(service)
    expect(reports.overall.wape).toBeLessThan(0.1)
    expect(Math.abs(reports.overall.bias)).toBeLessThan(0.1)
    expect(reports.overall.coverage_p95).toBe(1)
    expect(reports.by_location[MACHINE].scored).toBe(reports.overall.scored)
    expect(reports.by_speed.fast.units).toBeGreaterThan(reports.by_speed.slow.units)
    expect(reports.by_measured.measured.scored).toBe(reports.overall.scored)
    expect(reports.by_measured.inferred).toMatchObject({ scored: 0, mae: null })
    const cola = reports.slots.find(({ slot_id }: Json) => slot_id === slotOf(COLA))
    // Of the third day a minute is not read yet.
    const lastMadeAt = '2026-09-11T08:01:00.000+08:00'
    expect(reports.overall).toMatchObject({
      first_made_at: '2026-09-10T08:01:00.000+08:00',
      last_made_at: lastMadeAt,
      partly_empty: 0,
    })
    expect(cola).toMatchObject({
      location: MACHINE,
      last: { made_at: lastMadeAt, actual: 21, available_days: 7 },
    })
  })

  test('a horizon of only empty days is excluded, not scored as an error; of some, it is scored as partly empty', async () => {
    const slotsByMachine = { [MACHINE]: [machineSlot('G-1', { stock: 0 }), ...well().slice(1)] }
    const service = await startRoute({ slotsByMachine })
    await service.job('record-forecasts')
    for (let i = 0; i < 8; i++) {
      const noon = service.clock.now() + 4 * HOUR
      service.machine.trades.push(
        trade(`tea-${i}`, noon, { lines: [{ vendorSku: 'G-2', priceFen: fen(500), costFen: null, status: 'paid' }] }),
      )
      if (i === 4) slotsByMachine[MACHINE][2] = machineSlot('G-3', { stock: 0 })
      service.clock.advance(DAY - MINUTE)
      await sync(service)
    }
    const { reports, pending, total_forecasts } = await score(service)
    expect([reports.overall.excluded, pending, total_forecasts]).toEqual([1, 0, 3])
    expect([reports.overall.scored, reports.overall.partly_empty]).toEqual([2, 1])
  })

  test.each(['0', '91', '1.5', 'x'])('horizon_days=%s is 400', async (horizon) => {
    const service = await startRoute()
    expect((await service.get(`/replenishment/score?horizon_days=${horizon}`)).status).toBe(400)
  })

  test('is a read: twice the same bytes', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: well() } })
    await service.job('record-forecasts')
    await live(service, 8)
    const first = await service.get('/replenishment/score')
    expect((await service.get('/replenishment/score')).text).toBe(first.text)
  })
})

describe('forecasts are stored', () => {
  test('one per slot and local day: when a run is created, and the job adds none', async () => {
    const service = await startRoute()
    await create(service)
    const kept = await forecasts(service)
    expect(kept.map(({ vendor_sku, day }) => [vendor_sku, day])).toEqual([
      ['G-1', '2026-09-10'],
      ['G-2', '2026-09-10'],
      ['G-3', '2026-09-10'],
    ])
    service.clock.advance(HOUR)
    await create(service)
    await service.job('record-forecasts')
    expect(await forecasts(service)).toEqual(kept)
  })

  test('the job waits for the first sync of the day', async () => {
    const service = await startRoute()
    await service.job('record-forecasts')
    expect(await forecasts(service)).toHaveLength(3)
    service.clock.advance(DAY)
    await service.job('record-forecasts')
    expect(await forecasts(service)).toHaveLength(3)
    await sync(service)
    await service.job('record-forecasts')
    expect(await forecasts(service)).toHaveLength(6)
  })

  test('days are those of the machine, not of UTC', async () => {
    const service = await startRoute({ trades: usualSales(), now: Date.parse('2026-09-10T00:30:00+08:00') })
    await service.job('record-forecasts')
    expect((await forecasts(service))[0]?.day).toBe('2026-09-10')
  })

  test('the rates are those of the plan, exactly', async () => {
    const service = await startRoute()
    const { plans } = (await service.get('/replenishment/plan')).body
    await service.job('record-forecasts')
    const kept = await forecasts(service)
    expect(
      kept.map(({ daily_rate_e4, naive_rate_e4, measured }) => [
        daily_rate_e4 / 1e4,
        naive_rate_e4 / 1e4,
        measured === 1,
      ]),
    ).toEqual(plans.map(({ demand }: Json) => [demand.daily_rate, demand.naive_daily_rate, demand.measured]))
  })

  test('a blocked run plans nothing and stores no forecasts', async () => {
    const service = await startRoute()
    await service.post('/guardrails/stop', { reason: 'smoke' })
    await create(service)
    expect(await forecasts(service)).toEqual([])
  })

  test('a machine taken off the roster takes its forecasts with it', async () => {
    const service = await startRoute()
    await service.job('record-forecasts')
    await service.call('DELETE', `/locations/${MACHINE}`)
    expect(await score(service)).toMatchObject({ total_forecasts: 0 })
  })
})
