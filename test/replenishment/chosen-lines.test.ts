/** Beyond the contract: a person changes quantities of a plan, or leaves lines out, before the run is created. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, Service } from '../support/service.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import {
  codes,
  COLA,
  MACHINE,
  placed,
  plan,
  routeSlots,
  salesOf,
  slotOf,
  startRoute,
  TEA,
  WATER,
  withRules,
} from './route.ts'

const OTHER = 'M1002'
const twoMachines = () => ({
  slotsByMachine: {
    [MACHINE]: routeSlots().map((slot) => ({ ...slot, capacity: 30 })),
    [OTHER]: [machineSlot('G-2', { title: '茶', stock: 20, capacity: 30 })],
  },
  trades: [...salesOf({ vendorSku: 'G-1', perDay: 3 }), ...salesOf({ vendorSku: 'G-2', perDay: 1 })],
})
const createWith = (service: Service, body: object, query = '') => service.post(`/replenishment/runs${query}`, body)
const quantities = (body: Json): Record<string, number> =>
  Object.fromEntries(body.line_items.map(({ slot_id, quantity }: Json) => [slot_id, quantity.total]))
const line = (sku: string, quantity: number, location = MACHINE) => ({ slot_id: slotOf(sku, location), quantity })
const planned = (body: Json): Record<string, number> =>
  Object.fromEntries(
    body.plans.flatMap(({ slot_id, recommendation }: Json) =>
      recommendation.quantity ? [[slot_id, recommendation.quantity]] : [],
    ),
  )

describe('2.8 POST /replenishment/runs with lines', () => {
  test('a changed quantity replaces the planned one, 0 leaves the slot out, the others stay as planned', async () => {
    const service = await startRoute(twoMachines())
    const before = planned(await plan(service))
    expect(before[slotOf(COLA)]).toBeGreaterThan(1)
    const changed = await createWith(service, { lines: [line(COLA, 1)] })
    expect(changed.status).toBe(201)
    expect(quantities(changed.body)).toEqual({ ...before, [slotOf(COLA)]: 1 })
    const { [slotOf(COLA)]: _, ...rest } = before
    expect(quantities((await createWith(service, { lines: [line(COLA, 0)] })).body)).toEqual(rest)
  })

  test('a slot that the plan does not order for can be added, also of a machine that is not due', async () => {
    const service = await startRoute(twoMachines())
    const { body } = await createWith(service, { locations: [OTHER], lines: [line(TEA, 4, OTHER)] })
    expect(quantities(body)).toEqual({ [slotOf(TEA, OTHER)]: 4 })
    expect(codes(body)).toContain('not_due')
  })

  test('with every line left out there is nothing to do', async () => {
    const service = await startRoute(twoMachines())
    const slots = Object.keys(planned(await plan(service)))
    const { body } = await createWith(service, { lines: slots.map((slot_id) => ({ slot_id, quantity: 0 })) })
    expect(body).toMatchObject({ status: 'nothing_to_do', line_items: [] })
  })

  test.each([
    ['a slot that does not exist', { lines: [line('acme-machine:G-9', 1)] }, 404, '$.lines[0].slot_id'],
    ['a slot listed twice', { lines: [line(COLA, 1), line(COLA, 2)] }, 400, '$.lines[1].slot_id'],
    ['a machine that is not in the run', { lines: [line(TEA, 1, OTHER)] }, 400, '$.lines[0].slot_id'],
    ['more than fits', { lines: [line(COLA, 100)] }, 400, '$.lines[0].quantity'],
    ['a negative quantity', { lines: [line(COLA, -1)] }, 400, '$.lines[0].quantity'],
    ['no lines at all', { lines: [] }, 400, '$.lines'],
  ])('refuses %s and creates nothing', async (_, request, status, path) => {
    const service = await startRoute(twoMachines())
    const refused = await createWith(service, request)
    expect([refused.status, refused.body.messages[0].path]).toEqual([status, path])
    expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
  })

  test('refuses a locked slot and one that has an order in transit; leaving them out is accepted', async () => {
    const service = await startRoute(twoMachines())
    await service.put(`/locations/${MACHINE}/slots/${slotOf(WATER)}`, { locked: true })
    await placed(service)
    for (const sku of [WATER, COLA]) {
      const body = { locations: [MACHINE], lines: [line(sku, 1)] }
      expect((await createWith(service, body)).status).toBe(400)
      expect((await createWith(service, { ...body, lines: [line(sku, 0)] })).status).toBe(201)
    }
  })

  test('3.2 the rules judge the changed quantities: a larger order needs approval, a smaller one does not', async () => {
    const service = await startRoute({ ...twoMachines(), rules: withRules({ spendingLimitPerRun: 1000 }) })
    const small = await createWith(service, { lines: [line(COLA, 2), line(TEA, 0)] })
    expect(small.body.status).toBe('approved')
    const large = await createWith(service, { lines: [line(COLA, 20)] })
    expect([large.body.status, codes(large.body)[0]]).toEqual(['pending_approval', 'approval_required'])
  })

  test('whatever a person chooses: what fits is taken exactly, what does not is refused', async () => {
    const service = await startRoute(twoMachines())
    const { plans } = await plan(service)
    const own = plans.filter(({ location }: Json) => location === MACHINE)
    expect(own.every(({ room }: Json) => Number.isInteger(room))).toBe(true)
    const choice = fc.tuple(...own.map(() => fc.option(fc.integer({ min: 0, max: 40 }))))
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        const lines = own.flatMap(({ slot_id }: Json, i: number) =>
          chosen[i] === null ? [] : [{ slot_id, quantity: chosen[i] }],
        )
        if (lines.length === 0) return
        const answer = await createWith(service, { locations: [MACHINE], lines }, '?dry_run=true')
        const fits = own.every(({ room }: Json, i: number) => (chosen[i] ?? 0) <= room)
        expect(answer.status).toBe(fits ? 201 : 400)
        if (!fits) return
        const units = own.map((entry: Json, i: number) => [
          entry.slot_id,
          chosen[i] ?? entry.recommendation.quantity ?? entry.if_visited ?? 0,
        ])
        expect(quantities(answer.body)).toEqual(Object.fromEntries(units.filter(([, n]: [string, number]) => n > 0)))
      }),
      { numRuns: 12 },
    )
  })
})

describe('2.8 ?dry_run=true', () => {
  test('answers with the run and its rules and stores nothing', async () => {
    const service = await startRoute({ ...twoMachines(), rules: withRules({ spendingLimitPerRun: 1000 }) })
    const dry = await createWith(service, { lines: [line(COLA, 20)] }, '?dry_run=true')
    expect(dry.body).toMatchObject({ dry_run: true, status: 'pending_approval' })
    expect(dry.body.evidence).toContainEqual(expect.objectContaining({ needs_approval: true }))
    expect(dry.body.actions).toBeUndefined()
    expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    const real = await createWith(service, { lines: [line(COLA, 20)] })
    expect([real.body.totals, quantities(real.body)]).toEqual([dry.body.totals, quantities(dry.body)])
  })

  test('3.2 while the emergency stop is on it is blocked', async () => {
    const service = await startRoute({ rules: withRules({ killSwitchEngaged: true }) })
    expect((await createWith(service, {}, '?dry_run=true')).body).toMatchObject({ dry_run: true, status: 'blocked' })
    expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
  })
})
