/** `UCP-Agent` is recorded with every attempt, price change, approval and event it caused. */
import { expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import type { Service } from '../support/service.ts'
import { priceRequest, COLA, crashWhileCalling, line, MACHINE, startPricing, TEA, WATER } from '../pricing/machines.ts'

const AGENT = 'https://agent.example/profile'
const as = (agent: string, request = 'req-1') => ({
  headers: { 'ucp-agent': `profile="${agent}"`, 'request-id': request },
})

const rows = (service: Service, table: 'event' | 'price_change' | 'decision' | 'checkout_attempt') =>
  service.ctx.store.db.selectFrom(table).select(['agent', 'request_id']).execute()

/** A database returns rows in any order. */
const byRequest = (found: Awaited<ReturnType<typeof rows>>) =>
  found.toSorted((a, b) => (a.request_id ?? '').localeCompare(b.request_id ?? ''))

const prices = (service: Service, body: object, agent?: string, request?: string) =>
  service.put(`/locations/${MACHINE}/prices`, body, agent === undefined ? {} : as(agent, request))

test('a price change, its decision and their events name the agent and the request', async () => {
  const service = await startPricing()
  await prices(service, priceRequest(line(COLA, 260)), AGENT, 'req-1')
  await prices(service, priceRequest(line(TEA, 900)), AGENT, 'req-2')
  const caused = [
    { agent: AGENT, request_id: 'req-1' },
    { agent: AGENT, request_id: 'req-2' },
  ]
  expect(byRequest(await rows(service, 'price_change'))).toEqual(caused)
  expect(byRequest(await rows(service, 'event'))).toEqual(caused)
  expect(await rows(service, 'decision')).toEqual([caused[1]])
  expect(await service.events('price_change')).toMatchObject([{ agent: AGENT }, { agent: AGENT }])
  const { approvals } = (await service.get('/approvals')).body
  expect(approvals).toMatchObject([{ agent: AGENT }])
  expect((await service.get(`/approvals/${approvals[0].id}`)).body.agent).toBe(AGENT)
})

test('an attempt to complete and its event name the agent that completed', async () => {
  const service = await startPricing({ supply: scriptedSupply([supplyProduct('SP1', { eachPriceFen: fen(1000) })]) })
  const body = {
    line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }],
    fulfillment: {
      methods: [
        {
          type: 'shipping',
          line_item_ids: ['*'],
          destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '13800000000' }],
        },
      ],
    },
  }
  const { id } = (await service.post('/checkout-sessions', body, as('https://other.example', 'req-1'))).body
  await service.post(`/checkout-sessions/${id}/complete`, { confirm: true }, as(AGENT, 'req-2'))
  expect(await rows(service, 'checkout_attempt')).toEqual([{ agent: AGENT, request_id: 'req-2' }])
  expect(await service.events('checkout')).toMatchObject([{ agent: AGENT }])
})

test('events of callers, too', async () => {
  const service = await startPricing()
  const event = { kind: 'restocked', summary: 'Filled', reasoning: 'It was empty.' }
  expect((await service.post('/events', event, as(AGENT))).body.agent).toBe(AGENT)
})

test('concurrent callers are not mixed up, whoever commits for whom', async () => {
  const service = await startPricing()
  const body = { kind: 'restocked', reasoning: 'It was empty.' }
  const numbers = Array.from({ length: 60 }, (_, n) => n)
  await Promise.all(
    numbers.map((n) =>
      service.post('/events', { ...body, summary: `${n}` }, as(`https://agent.example/${n}`, `r-${n}`)),
    ),
  )
  const events = await service.ctx.store.db.selectFrom('event').selectAll().execute()
  expect(events).toHaveLength(60)
  for (const { summary, agent, request_id } of events)
    expect([agent, request_id]).toEqual([`https://agent.example/${summary}`, `r-${summary}`])
})

test('without the header there is no agent, and a job has neither agent nor request', async () => {
  const service = await startPricing()
  await prices(service, priceRequest(line(WATER, 160)))
  const [event] = await service.events('price_change')
  expect(event).not.toHaveProperty('agent')
  crashWhileCalling(service)
  await prices(service, priceRequest(line(COLA, 260)), AGENT)
  service.clock.advance(60 * 60_000)
  await service.job('pricing.apply-approved')
  await service.job('effects.price_change')
  // A database returns rows in any order.
  const changes = await service.ctx.store.db.selectFrom('price_change').select('agent').orderBy('seq').execute()
  expect(changes).toEqual([{ agent: null }, { agent: AGENT }])
  const events = await service.ctx.store.db.selectFrom('event').select(['agent', 'request_id']).orderBy('seq').execute()
  expect(events.at(-1)).toEqual({ agent: null, request_id: null })
})
