/** Several runs for the same slots: whoever is placed first orders, and a run that was not placed can be canceled. */
import { describe, expect, test } from 'vitest'
import { failure } from '../support/scripted-vendors.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
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
  withRules,
} from './route.ts'

const POOR = withRules({ spendingLimitPerRun: 1000 })
const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const

const cancel = (service: Service, id: string): Promise<Answered> => service.post(`/replenishment/runs/${id}/cancel`)
const refusal = ({ status, body }: Answered) => [status, codes(body)]
const slotsOf = (body: Json): string[] => body.line_items.map(({ slot_id }: Json) => slot_id)
const orderedSlots = (body: Json): string[] =>
  body.plans
    .filter(({ recommendation }: Json) => recommendation.action === 'order')
    .map(({ slot_id }: Json): string => slot_id)

describe('3.2 a run that was not placed blocks no other run', () => {
  test('a second run orders what the plan orders, and names the run that covers the same slots', async () => {
    const service = await startRoute()
    const { body: first } = await create(service)
    expect(first.messages).toBeUndefined()
    const { body: second } = await create(service)
    expect(second.status).toBe('approved')
    expect(slotsOf(second)).toEqual(orderedSlots(await plan(service)))
    expect(second.messages).toEqual([
      {
        type: 'info',
        code: 'covered_by_other_run',
        content: expect.stringMatching(`^${first.id} is not placed yet and also covers ${slotOf(COLA)}`),
        params: { run: first.id, slots: second.line_items.length },
      },
    ])
    const { body: third } = await create(service)
    expect(third.messages.map(({ params }: Json) => params.run)).toEqual([first.id, second.id])
  })

  test('both say so while both are open, and neither once one is placed, canceled or delivered', async () => {
    const service = await startRoute()
    const [{ body: first }, { body: second }] = [await create(service), await create(service)]
    const named = async (id: string) =>
      ((await run(service, id)).messages ?? []).flatMap(({ code, params }: Json) =>
        code === 'covered_by_other_run' ? [params.run] : [],
      )
    expect([await named(first.id), await named(second.id)]).toEqual([[second.id], [first.id]])
    const { body: third } = await create(service)
    expect((await cancel(service, third.id)).status).toBe(200)
    expect([await named(first.id), await named(third.id)]).toEqual([[second.id], []])
    const { body: ordered } = await place(service, first.id)
    expect(codes(ordered)).toEqual([])
    expect([await named(first.id), await named(second.id)]).toEqual([[], []])
    const listed = (await service.get('/replenishment/runs')).body.runs.flatMap(codes)
    expect(listed.filter((code: string) => code === 'covered_by_other_run')).toEqual([])
  })

  test('nor does a run that waits for the owner', async () => {
    const service = await startRoute({ rules: POOR })
    const { body: first } = await create(service)
    const { body: second } = await create(service)
    expect([first.status, second.status]).toEqual(['pending_approval', 'pending_approval'])
    expect(codes(second)).toEqual(['approval_required', 'covered_by_other_run'])
  })

  test('of two runs for the same slots the second to be placed orders nothing', async () => {
    const service = await startRoute()
    const [{ body: first }, { body: second }] = [await create(service), await create(service)]
    expect((await place(service, second.id)).body.status).toBe('placed')
    expect(refusal(await place(service, first.id))).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed'],
    ])
    expect((await run(service, first.id)).status).toBe('approved')
  })

  test('placed at the same time, each slot is ordered once', async () => {
    const service = await startRoute()
    const created = await Promise.all(Array.from({ length: 4 }, () => create(service)))
    expect(created.map(({ body }) => body.status)).toEqual(Array(4).fill('approved'))
    const answers = await Promise.all(created.map(({ body }) => place(service, body.id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  })

  test('lines another run has placed meanwhile are removed at placement, with a message, and the rest is ordered', async () => {
    const slotsByMachine = { [MACHINE]: routeSlots(), M1002: routeSlots().map((slot) => ({ ...slot, stock: 60 })) }
    const trades = [MACHINE, 'M1002'].flatMap((location) => salesOf({ location, vendorSku: 'G-1', perDay: 3 }))
    const service = await startRoute({ slotsByMachine, trades })
    const { body: first } = await create(service)
    slotsByMachine.M1002 = routeSlots().map((slot) => ({ ...slot, stock: 0 }))
    service.machine.slotsByMachine['M1002'] = slotsByMachine.M1002
    await service.post('/locations/sync')
    const { body: both } = await create(service)
    expect(slotsOf(both)).toEqual(expect.arrayContaining([slotOf(COLA), slotOf(COLA, 'M1002')]))
    await place(service, first.id)
    const { body } = await place(service, both.id)
    const lineOf = (slot: string) => body.line_items.find(({ slot_id }: Json) => slot_id === slot)
    expect(body.status).toBe('placed')
    expect(lineOf(slotOf(COLA)).status).toBe('removed')
    expect(lineOf(slotOf(COLA, 'M1002')).status).toBe('processing')
    expect(body.messages).toContainEqual(
      expect.objectContaining({ type: 'error', code: 'already_placed', path: expect.stringMatching('line_items') }),
    )
  })
})

describe('POST /replenishment/runs/{id}/cancel', () => {
  test('approved: rejected, with an event, and place says approval_rejected', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    const answer = await cancel(service, created.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id: created.id, status: 'rejected', line_items: created.line_items })
    expect(codes(answer.body)).toEqual(['approval_rejected'])
    expect(answer.body.messages[0].content).toContain('canceled')
    expect(answer.body.fulfillment.events.at(-1)).toMatchObject({ type: 'canceled' })
    expect(await run(service, created.id)).toEqual(answer.body)
    expect((await service.events('replenishment'))[0]).toMatchObject({
      summary: expect.stringContaining(`${created.id} canceled`),
      location: MACHINE,
    })
    expect(refusal(await place(service, created.id))).toEqual([409, ['approval_rejected']])
    expect((await create(service)).body.messages).toBeUndefined()
    expect(entryOf(await plan(service), slotOf(COLA)).pending_run).not.toBe(created.id)
  })

  test('pending_approval: its decision is withdrawn with an event, and can no longer be approved', async () => {
    const service = await startRoute({ rules: POOR })
    const { body: created } = await create(service)
    const decision = decisionOf(created)
    const { body } = await cancel(service, created.id)
    expect(body.status).toBe('rejected')
    expect(body.actions).toBeUndefined()
    expect((await service.get(`/approvals/${decision}`)).body).toMatchObject({ status: 'rejected', approved: false })
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect(refusal(await resolve(service, decision, true))).toEqual([409, ['already_resolved']])
    expect((await service.events('approval'))[0].summary).toContain('withdrawn')
    expect((await run(service, created.id)).status).toBe('rejected')
  })

  test('placed, delivered, rejected, empty and unknown runs are refused and stay as they are', async () => {
    const service = await startRoute()
    expect(refusal(await cancel(service, 'run-1'))).toEqual([404, ['not_found']])
    const ordered = await placed(service)
    expect(refusal(await cancel(service, ordered.id))).toEqual([409, ['not_editable']])
    const { body: idle } = await create(service)
    expect(idle.status).toBe('nothing_to_do')
    expect(refusal(await cancel(service, idle.id))).toEqual([409, ['not_editable']])
    await receive(service, ordered.id, inFull(ordered))
    expect(refusal(await cancel(service, ordered.id))).toEqual([409, ['already_delivered']])
    expect((await run(service, ordered.id)).status).toBe('delivered')
  })

  test('under the emergency stop a run can be canceled: nothing is spent', async () => {
    const service = await startRoute()
    const { body: created } = await create(service)
    await service.post('/guardrails/stop', { reason: 'smoke' })
    expect((await cancel(service, created.id)).status).toBe(200)
    expect(refusal(await cancel(service, created.id))).toEqual([409, ['not_editable']])
  })

  test('canceled and placed at once, one of the two happens', async () => {
    const service = await startRoute()
    for (let i = 0; i < 5; i++) {
      const { body: created } = await create(service)
      const [called, ordered] = await Promise.all([cancel(service, created.id), place(service, created.id)])
      expect([called.status, ordered.status].toSorted((a, b) => a - b)).toEqual([200, 409])
      const { status } = await run(service, created.id)
      expect(status).toBe(called.status === 200 ? 'rejected' : 'placed')
      if (status === 'placed') return
    }
  })

  test('a placement that opened nothing can be canceled', async () => {
    const service = await startRoute({ config: REAL })
    const { body: created } = await create(service)
    service.clock.advance(2 * 60_000)
    service.supply.script.always('catalog', failure('unknown', 'the line is dead'))
    expect((await place(service, created.id)).status).toBe(502)
    service.supply.script.always('catalog', undefined)
    expect((await run(service, created.id)).status).toBe('approved')
    expect((await cancel(service, created.id)).body.status).toBe('rejected')
  })
})

describe('4.7 receiving', () => {
  test('more than ordered is accepted with a warning that says so', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    const delivered = inFull(ordered).map((line, i) => (i === 0 ? { ...line, quantity: line.quantity + 5 } : line))
    const answer = await receive(service, ordered.id, delivered)
    expect([answer.status, answer.body.status]).toEqual([200, 'delivered'])
    const { slot_id, quantity } = inFull(ordered)[0]!
    expect(answer.body.messages).toEqual([
      expect.objectContaining({
        type: 'warning',
        code: 'more_than_ordered',
        path: '$.line_items[0].quantity',
        params: { slot: slot_id, product: '可乐', quantity: quantity + 5, ordered: quantity },
      }),
      expect.objectContaining({ type: 'warning', code: 'storeroom_short' }),
    ])
    expect(await run(service, ordered.id)).toEqual(answer.body)
  })

  test('exactly what was ordered, or less, says nothing', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    const answer = await receive(
      service,
      ordered.id,
      inFull(ordered).map((line) => ({ ...line, quantity: 1 })),
    )
    expect(answer.body.messages).toBeUndefined()
  })

  test.each([
    [false, ['purchase_not_completed', 'storeroom_short', 'storeroom_short']],
    [true, []],
  ])('with a purchase completed first: %s, the warnings are %j', async (completed, warnings) => {
    const service = await startRoute({ config: REAL })
    const { body: created } = await create(service)
    const { body: ordered } = await place(service, created.id)
    if (completed) await service.post(`/checkout-sessions/${ordered.checkouts[0].id}/complete`, { confirm: true })
    const answer = await receive(service, created.id, inFull(ordered))
    expect(answer.status).toBe(200)
    expect(codes(answer.body)).toEqual(warnings)
  })
})
