/** Products to phase out (beyond the contract). */
import { describe, expect, test } from 'vitest'
import type { Json } from '../support/service.ts'
import { COLA, create, entryOf, MACHINE, plan, routeSlots, salesOf, slotOf, startRoute, usualSales } from './route.ts'

const PATH = `/skus/${encodeURIComponent(COLA)}/phase-out`
const OTHER = 'M1002'
const startTwo = () =>
  startRoute({
    slotsByMachine: { [MACHINE]: routeSlots(), [OTHER]: routeSlots() },
    trades: [...usualSales(), ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 3 })],
  })

describe('4.7 a product that is phased out', () => {
  test('is not ordered on the whole route until it is ordered again', async () => {
    const service = await startTwo()
    const { status, body } = await service.put(PATH, { phase_out: true })
    expect([status, body.phase_out]).toEqual([200, { route: true, locations: [] }])
    const phased = await plan(service)
    for (const location of [MACHINE, OTHER])
      expect(entryOf(phased, slotOf(COLA, location)).recommendation).toEqual({ action: 'phase_out' })
    const run = await create(service)
    expect((run.body.line_items ?? []).map(({ slot_id }: Json) => slot_id)).not.toContain(slotOf(COLA))

    expect((await service.put(PATH, { phase_out: false })).body).not.toHaveProperty('phase_out')
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('order')
  })

  test('may be phased out in one machine only', async () => {
    const service = await startTwo()
    const { body } = await service.put(PATH, { phase_out: true, location: OTHER })
    expect(body.phase_out).toEqual({ route: false, locations: [OTHER] })
    const phased = await plan(service)
    expect(entryOf(phased, slotOf(COLA)).recommendation.action).toBe('order')
    expect(entryOf(phased, slotOf(COLA, OTHER)).recommendation.action).toBe('phase_out')
    await service.call('DELETE', `/locations/${OTHER}`)
    expect((await service.get(`/skus/${encodeURIComponent(COLA)}`)).body).not.toHaveProperty('phase_out')
  })

  test('cannot be chosen for a run by hand', async () => {
    const service = await startRoute()
    await service.put(PATH, { phase_out: true })
    const chosen = await service.post('/replenishment/runs', {
      locations: [MACHINE],
      lines: [{ slot_id: slotOf(COLA), quantity: 3 }],
    })
    expect([chosen.status, chosen.body.messages[0].path]).toEqual([400, '$.lines[0].slot_id'])
  })

  test('writes one event for each change, names a machine product and a machine that exist', async () => {
    const service = await startRoute()
    await service.put(PATH, { phase_out: true })
    await service.put(PATH, { phase_out: true })
    await service.put(PATH, { phase_out: false })
    const { body } = await service.get('/events?kind=replenishment&limit=100')
    expect(body.events.map(({ code }: Json) => code)).toEqual(['phase_out_ended', 'phase_out_started'])
    expect((await service.put('/skus/acme-supply%3ASP1/phase-out', { phase_out: true })).body.messages[0].code).toBe(
      'namespace_mismatch',
    )
    expect((await service.put('/skus/acme-machine%3AG-99/phase-out', { phase_out: true })).status).toBe(404)
    expect((await service.put(PATH, { phase_out: true, location: 'M9' })).status).toBe(404)
    expect((await service.put(PATH, {})).status).toBe(400)
  })
})
