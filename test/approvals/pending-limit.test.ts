/** At most 200 decisions wait for the owner; a request that would open one more is refused and changes nothing. */
import { describe, expect, test } from 'vitest'
import { createPending } from '../../src/rules/approvals/records.ts'
import { RefusedError } from '../../src/kernel/outcome.ts'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { priceRequest, change, COLA, decisionOf, line, startPricing, TEA, writes } from '../pricing/machines.ts'
import { addKey } from '../people/keys.ts'
import { insertDecisions } from './decisions.ts'

const LIMIT = 200

let slots = 0
const open = (service: Service) =>
  service.ctx.store.transaction((tx) =>
    createPending(service.ctx, tx, {
      kind: 'swap',
      summary: 'Swap',
      reasoning: 'Slow.',
      subject: { type: 'slot', id: `M1002-${(slots += 1)}` },
    }),
  )

const fill = (service: Service, count = LIMIT) => insertDecisions(service, count)

const waiting = async (service: Service): Promise<number> => (await service.get('/approvals')).body.approvals.length

const DEAR = priceRequest(line(COLA, 400))
const checkout = (quantity: number) => ({
  line_items: [{ item: { id: 'acme-supply:SP1' }, quantity }],
  fulfillment: {
    methods: [
      {
        type: 'shipping',
        line_item_ids: ['*'],
        destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '13800000000' }],
      },
    ],
  },
})
const withSupply = () => startPricing({ supply: scriptedSupply([supplyProduct('SP1', { eachPriceFen: fen(1000) })]) })

describe('with 200 decisions waiting', () => {
  test('a price change above the cap: 429 too_many_pending with Retry-After and an event; within the cap it goes on', async () => {
    const service = await startPricing()
    const [first] = await fill(service)
    const { status, body, headers } = await change(service, DEAR, { key: 'k' })
    expect(status).toBe(429)
    expect(body.messages[0]).toMatchObject({ code: 'too_many_pending', severity: 'recoverable' })
    expect(body.messages[0].content).toContain('200')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(writes(service)).toBe(0)
    expect(await service.events('price_change')).toHaveLength(1)
    expect((await change(service, priceRequest(line(TEA, 310)))).status).toBe(200)

    await service.post(`/approvals/${first}`, { approved: false })
    expect(decisionOf(await change(service, DEAR, { key: 'k' })), 'there is room again').toMatch(/^dec-/)
    expect(await waiting(service)).toBe(LIMIT)
  })

  test('a pending decision is returned again to a caller that sends the same request', async () => {
    const service = await startPricing()
    const id = decisionOf(await change(service, DEAR))
    await fill(service, LIMIT - 1)
    expect(decisionOf(await change(service, DEAR))).toBe(id)
  })

  test('a checkout above the limit is not created; a smaller one is, and cannot grow over it', async () => {
    const service = await withSupply()
    await fill(service)
    const large = await service.post('/checkout-sessions', checkout(100))
    expect(large.status).toBe(429)
    expect((await service.get('/checkout-sessions')).body.checkouts).toEqual([])
    const small = await service.post('/checkout-sessions', checkout(1))
    expect(small.status).toBe(201)
    const grown = await service.put(`/checkout-sessions/${small.body.id}`, checkout(100))
    expect(grown.status).toBe(429)
    expect((await service.get(`/checkout-sessions/${small.body.id}`)).body).toMatchObject({
      status: 'ready_for_complete',
      line_items: [{ quantity: 1 }],
    })
  })

  test('a changed checkout that waits itself only replaces its decision', async () => {
    const service = await withSupply()
    const { body } = await service.post('/checkout-sessions', checkout(100))
    await fill(service, LIMIT - 1)
    expect((await service.put(`/checkout-sessions/${body.id}`, checkout(101))).body.status).toBe('requires_escalation')
    expect(await waiting(service)).toBe(LIMIT)
  })

  test('a complete that would need a decision by the rules of now: 429, an event, nothing bought', async () => {
    const service = await withSupply()
    const { body } = await service.post('/checkout-sessions', checkout(1))
    await fill(service)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 1 } })
    const answer = await service.post(`/checkout-sessions/${body.id}/complete`, { confirm: true })
    expect(answer.status).toBe(429)
    expect(service.supply.orders.size).toBe(0)
    expect(await service.events('checkout')).toMatchObject([{ summary: expect.stringContaining('too many pending') }])
  })

  test('many at the same moment open no more than there is room for', async () => {
    const service = await startPricing()
    await fill(service, LIMIT - 3)
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => open(service)))
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const one of opened) if (one.status === 'rejected') expect(one.reason as unknown).toBeInstanceOf(RefusedError)
    expect(await waiting(service)).toBe(LIMIT)
  })
})

test('one key may use 60 of the places; the others go on', async () => {
  const service = await startPricing()
  const [one, other] = [await addKey(service, 'operator', 'Agent'), await addKey(service, 'operator', 'Wu')]
  const decisions = await fill(service, 60)
  await service.ctx.store.db.updateTable('decision').set({ by_name: 'Agent', by_role: 'operator' }).execute()
  const send = (token: string) => service.put('/locations/M1001/prices', DEAR, { token })
  const refused = await send(one.key)
  expect(refused.status).toBe(429)
  expect(refused.body.messages).toMatchObject([{ code: 'too_many_pending', params: { limit: 60, person: 'Agent' } }])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await send(other.key)).status).toBe(200)

  await service.post(`/approvals/${decisions[0]}`, { approved: false })
  const room = await service.put('/locations/M1001/prices', priceRequest(line(TEA, 500)), { token: one.key })
  expect(decisionOf(room)).toMatch(/^dec-/)
})
