import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { machineSlot, scriptedMachine } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import {
  codes,
  create,
  decisionOf,
  entryOf,
  inFull,
  MACHINE,
  place,
  placed,
  plan,
  receive,
  resolve,
  run,
  salesOf,
  routeSlots,
  slotOf,
  startRoute,
  TEA,
  usualSales,
  withRules,
} from './route.ts'

const POOR = withRules({ spendingLimitPerRun: 1000 })
const refusal = ({ status, body }: { status: number; body: Json }) => [status, codes(body)]

describe('3.2 POST /replenishment/runs/{id}/place', () => {
  test('approved: placed with the simulated supplier, a decision and an event', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    service.clock.advance(60_000)
    const answer = await place(service, created.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id: created.id,
      status: 'placed',
      placed_at: '2026-09-10T08:02:00.000+08:00',
      supplier: 'simulated',
      totals: created.totals,
    })
    expect(answer.body.fulfillment.events.map(({ type }: Json) => type)).toEqual(['planned', 'approved', 'ordered'])
    expect(answer.body.fulfillment.events.slice(0, 2)).toEqual(created.fulfillment.events)
    expect((await service.get('/approvals?status=approved')).body.approvals).toMatchObject([
      { kind: 'restock_plan', status: 'approved', subject: { type: 'replenishment_run', id: created.id } },
    ])
    const events = await service.events('replenishment')
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ location: MACHINE, summary: expect.stringContaining(created.id) })
    expect(await run(service, created.id)).toEqual(answer.body)
  })

  test('approved by the owner: the decision stays, no second one is created', async () => {
    const service = await startRoute({ rules: POOR })
    const { body: created } = await create(service)
    await resolve(service, decisionOf(created), true)
    expect((await place(service, created.id)).body.status).toBe('placed')
    expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
  })

  test('placed, and delivered: 409 already_placed', async () => {
    const service = await startRoute()
    const body = await placed(service)
    const again = await place(service, body.id)
    expect(refusal(again)).toEqual([409, ['already_placed']])
    expect(await run(service, body.id)).toEqual(body)
    await receive(service, body.id, inFull(body))
    expect(refusal(await place(service, body.id))).toEqual([409, ['already_placed']])
  })

  test('pending_approval: 409 approval_required; rejected: 409 approval_rejected', async () => {
    const service = await startRoute({ rules: POOR })
    const { body: created } = await create(service)
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_required']])
    await resolve(service, decisionOf(created), false)
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_rejected']])
    expect(await service.events('replenishment')).toEqual([])
  })

  test('blocked and nothing_to_do: 409 not_placeable', async () => {
    const service = await startRoute({ rules: withRules({ killSwitchEngaged: true }) })
    const { body: blocked } = await create(service)
    service.writeRules(RULES)
    await placed(service)
    const { body: idle } = await create(service)
    expect([blocked.status, idle.status]).toEqual(['blocked', 'nothing_to_do'])
    for (const { id } of [blocked, idle]) expect(refusal(await place(service, id))).toEqual([409, ['not_placeable']])
  })

  test('emergency stop on: 409 kill_switch_engaged, whatever the status, and the run is unchanged', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    await service.post('/guardrails/stop', { reason: 'smoke' })
    expect(refusal(await place(service, created.id))).toEqual([409, ['kill_switch_engaged']])
    expect(await run(service, created.id)).toEqual(created)
  })

  test('order of checks: rules readable, emergency stop, exists, status', async () => {
    const service = await startRoute()
    const done = await placed(service)
    service.writeRules(withRules({ killSwitchEngaged: true }))
    expect(refusal(await place(service, done.id))).toEqual([409, ['kill_switch_engaged']])
    service.writeRules('{')
    expect(refusal(await place(service, done.id))).toEqual([503, ['guard_unverifiable']])
    service.writeRules(RULES)
    expect(refusal(await place(service, 'run-1'))).toEqual([404, ['not_found']])
  })

  test('unresolved lines give unresolved_sku warnings and are ordered all the same', async () => {
    const service = await startRoute({
      slotsByMachine: { [MACHINE]: routeSlots().map((slot) => ({ ...slot, stock: 0 })) },
    })
    const { body: created } = await create(service)
    expect(created.line_items).toHaveLength(3)
    const { body } = await place(service, created.id)
    expect(body.messages).toEqual([
      expect.objectContaining({
        type: 'warning',
        code: 'unresolved_sku',
        path: '$.line_items[2]',
        params: { product: '水' },
      }),
    ])
    expect(body.line_items[2]).toMatchObject({ status: 'processing', quantity: created.line_items[2].quantity })
    expect((await run(service, created.id)).messages).toEqual(body.messages)
  })

  test('an alias confirmed between creating and placing gives the source', async () => {
    const service = await startRoute({
      slotsByMachine: { [MACHINE]: routeSlots().map((slot) => ({ ...slot, stock: 0 })) },
    })
    const { body: created } = await create(service)
    expect(created.line_items[2].source).toBeUndefined()
    await service.put(`/skus/${created.line_items[2].item.id}/aliases`, { aliases: [{ sku_id: 'acme-supply:SP2' }] })
    const { body } = await place(service, created.id)
    expect(body.line_items[2].source).toEqual({ sku_id: 'acme-supply:SP2', unit: 'EA' })
    expect(body.messages).toBeUndefined()
  })

  test('the same Idempotency-Key places once and replays the answer', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    const headers = { 'idempotency-key': 'place-1' }
    const first = await service.post(`/replenishment/runs/${created.id}/place`, undefined, { headers })
    const again = await service.post(`/replenishment/runs/${created.id}/place`, undefined, { headers })
    expect([again.status, again.text]).toEqual([200, first.text])
  })
})

describe('simulated purchasing', () => {
  const withoutSupplier = () => [plannedVendor('acme-supply' as Namespace)]

  test.each([
    ['live', true, 200, []],
    ['live', false, 409, ['simulation_disabled']],
    ['staging', true, 200, []],
    ['staging', false, 409, ['simulation_disabled']],
  ] as const)(
    '%s without a live supplier, switched to %s: %i %j',
    async (env, simulatedPurchasing, status, expectedCodes) => {
      const machine = scriptedMachine({ [MACHINE]: [routeSlots()[0]!] }, usualSales())
      const service = await startRoute({
        config: { env, simulatedPurchasing },
        entries: [...withoutSupplier(), registerLive('acme-machine' as Namespace, machine.vendor)],
        slotsByMachine: { [MACHINE]: [] },
      })
      const { body: created } = await create(service)
      expect(created.status).toBe('approved')
      const answer = await place(service, created.id)
      expect(answer.status).toBe(status)
      if (status === 409) expect(codes(answer.body)).toEqual(expectedCodes)
      else expect(answer.body).toMatchObject({ status: 'placed', supplier: 'simulated' })
    },
  )
})

describe('rules and runs that changed since', () => {
  test('a limit lowered since: the owner has to approve, and nothing is placed before', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    service.writeRules(POOR)
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_required']])
    const waiting = await run(service, created.id)
    expect(waiting.status).toBe('pending_approval')
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_required']])
    await resolve(service, decisionOf(waiting), true)
    expect((await place(service, created.id)).body.status).toBe('placed')
    expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
  })

  test('a product blocked since is removed from the run, with an error at its line', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    service.writeRules(withRules({ hardNoGos: ['茶'] }))
    const { body } = await place(service, created.id)
    expect(body.status).toBe('placed')
    expect(body.messages).toEqual([expect.objectContaining({ code: 'hard_no_go', path: '$.line_items[1]' })])
    expect(body.line_items[1]).toMatchObject({
      status: 'removed',
      quantity: { original: expect.any(Number), total: 0 },
    })
    expect(body.totals[0].amount).toBe(created.line_items[0].totals[0].amount)
    expect(body.fulfillment.expectations[0].line_items).toHaveLength(1)
    expect(body.fulfillment.events.at(-1)).toMatchObject({
      type: 'canceled',
      line_items: [{ id: 'li_2', quantity: created.line_items[1].quantity.total }],
    })
    expect(entryOf(await plan(service), slotOf(TEA)).recommendation.action).not.toBe('in_transit')
  })

  test('when everything was forbidden since, the run stays as it was', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    service.writeRules(withRules({ hardNoGos: ['茶', '可乐'] }))
    const answer = await place(service, created.id)
    expect([answer.status, codes(answer.body)]).toEqual([409, ['not_placeable', 'hard_no_go', 'hard_no_go']])
    expect(await run(service, created.id)).toEqual(created)
    expect((await service.events('replenishment')).map(({ code }) => code)).toEqual(['run_not_placed'])
  })

  test('an old run does not order again what a later one has in transit or delivered', async () => {
    const service = await startRoute()
    const { body: forgotten } = await create(service)
    service.clock.advance(8 * DAY)
    const later = await placed(service)
    expect(later.line_items).toHaveLength(forgotten.line_items.length)
    expect(refusal(await place(service, forgotten.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    service.clock.advance(DAY)
    await receive(service, later.id, inFull(later))
    expect(refusal(await place(service, forgotten.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    expect((await run(service, forgotten.id)).status).toBe('approved')
  })
})

describe('one winner', () => {
  test('of many placers one places; the others hear already_placed', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    const answers = await Promise.all(Array.from({ length: 6 }, () => place(service, created.id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    for (const answer of answers.filter(({ status }) => status === 409))
      expect(codes(answer.body)).toEqual(['already_placed'])
    expect(await service.events('replenishment')).toHaveLength(1)
    expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
  })

  test('placing and rejecting at once never gives a placed run that was rejected', async () => {
    const service = await startRoute({ rules: POOR })
    const { body: created } = await create(service)
    const [answer] = await Promise.all([place(service, created.id), resolve(service, decisionOf(created), false)])
    expect(answer?.status).toBe(409)
    expect((await run(service, created.id)).status).toBe('rejected')
  })
})

test('placing a run removes its slots from the next plan, whatever the stock', async () => {
  const stocks = fc.array(fc.nat({ max: 12 }), { minLength: 2, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(stocks, async (levels) => {
      const slots = levels.map((stock, i) => machineSlot(`G-${i + 1}`, { stock }))
      const trades = slots.flatMap(({ vendorSku }, i) => salesOf({ vendorSku, perDay: 1 + (i % 4) }))
      const service = await startRoute({
        slotsByMachine: { [MACHINE]: slots },
        trades,
        rules: withRules({ spendingLimitPerRun: 1e9 }),
      })
      const { body: created } = await create(service)
      if (created.status === 'nothing_to_do') return
      expect((await place(service, created.id)).status).toBe(200)
      const actions = new Map(
        (await plan(service)).plans.map((entry: Json) => [entry.slot_id, entry.recommendation.action]),
      )
      for (const { slot_id } of created.line_items) expect(actions.get(slot_id)).toBe('in_transit')
      const { body: next } = await create(service)
      for (const { slot_id } of next.line_items) expect(actions.get(slot_id)).not.toBe('in_transit')
    }),
    { numRuns: 8 },
  )
})
