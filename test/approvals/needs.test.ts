/** What needs the owner says why, in the message itself: the rule, the amount and the limit. Over REST and as a tool. */
import { expect, test } from 'vitest'
import { COLA, create, MACHINE, place, startRoute, withRules } from '../replenishment/route.ts'
import { callTool } from '../support/mcp.ts'
import type { Json, Service } from '../support/service.ts'

const cny = (amount: number) => ({ amount, currency: 'CNY' })
const needIn = ({ messages }: Json): Json => messages.find(({ code }: Json) => code === 'approval_required')
const asTool = async (service: Service, name: string, args: object): Promise<Json> =>
  (await callTool(service, name, args)).body.result.structuredContent

const destinations = [{ street_address: '1 Road', first_name: 'Wu', phone_number: '138' }]
const basket = {
  line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 500 }],
  fulfillment: { methods: [{ type: 'shipping', destinations }] },
}

test('a purchase, when it is created, read, completed and listed', async () => {
  const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 50_000 }) })
  const { body: created } = await service.post('/checkout-sessions', basket)
  const { amount: total } = created.totals.find(({ type }: Json) => type === 'total')
  expect(total).toBeGreaterThan(50_000)
  const said = needIn(created)
  expect(said.params).toMatchObject({ rule: 'spendingLimitPerRun', amount: cny(total), limit: cny(50_000) })
  expect(said.content).toMatch(/^The owner has to approve this purchase: ¥[\d,.]+ exceeds the ¥500\.00 limit/)
  const { id } = created
  expect(needIn((await service.get(`/checkout-sessions/${id}`)).body)).toEqual(said)
  expect(needIn((await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })).body)).toEqual(said)
  expect(needIn(await asTool(service, 'complete_checkout', { id, checkout: { confirm: true } }))).toEqual(said)
  expect(needIn((await service.get('/checkout-sessions')).body.checkouts[0])).toEqual(said)
  const small = { line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }] }
  expect(needIn((await service.put(`/checkout-sessions/${id}`, small)).body)).toBeUndefined()
})

test('a run, when it is created, read and placed, also under rules that became tighter', async () => {
  const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 100 }) })
  const { body: run } = await create(service)
  expect(run.status).toBe('pending_approval')
  const params = { rule: 'spendingLimitPerRun', amount: { currency: 'CNY' }, limit: cny(100) }
  expect(needIn(run)).toMatchObject({ params, content: expect.stringContaining('¥1.00 limit') })
  expect(needIn((await service.get(`/replenishment/runs/${run.id}`)).body)).toEqual(needIn(run))
  expect((await place(service, run.id)).body.messages[0]).toMatchObject({ code: 'approval_required', params })
  service.writeRules(withRules({ spendingLimitPerRun: 100_000_000 }))
  service.clock.advance(60_000)
  const { body: allowed } = await create(service)
  service.writeRules(withRules({ spendingLimitPerRun: 100 }))
  const held = await asTool(service, 'vending_place_run', { id: allowed.id })
  expect(held.messages[0]).toMatchObject({ code: 'approval_required', params })
  expect(needIn((await service.get(`/replenishment/runs/${allowed.id}`)).body)).toMatchObject({ params })
})

test('a price change, asked for once and again, and as a dry run', async () => {
  const service = await startRoute({ rules: withRules({ priceCapPerItem: 100 }) })
  const body = { prices: [{ item: { id: COLA }, price: cny(9000) }], confirm: true }
  const change = async (query = ''): Promise<Json> =>
    (await service.put(`/locations/${MACHINE}/prices${query}`, body)).body
  const params = { rule: 'priceCapPerItem', amount: { currency: 'CNY' }, limit: cny(100) }
  for (const answer of [await change('?dry_run=true'), await change(), await change()])
    expect(needIn(answer)).toMatchObject({ params, content: expect.stringMatching(/exceeds the ¥1\.00 cap/) })
  expect(needIn(await asTool(service, 'vending_change_prices', { id: MACHINE, ...body }))).toMatchObject({ params })
})

test('a product that the owner forbids names the rule and its entry', async () => {
  const service = await startRoute({ rules: withRules({ hardNoGos: ['acme-supply:SP1'] }) })
  const { body } = await service.post('/checkout-sessions', basket)
  expect(body.messages.find(({ code }: Json) => code === 'hard_no_go').params).toMatchObject({
    rule: 'hardNoGos',
    entry: 'acme-supply:SP1',
  })
})
