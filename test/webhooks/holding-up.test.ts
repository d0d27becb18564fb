/** An order that a receiver cannot take, a receiver that is down, and a target that was removed. */
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Json } from '../support/service.ts'
import { line, create, start, WATER } from '../checkout/support.ts'
import { buy, report, startWithTarget } from './support.ts'

const ids = (received: readonly { readonly body: Json }[]) => received.map(({ body }): string => body.id)

test('an order that is answered with 500 holds up no other order, and keeps its own times', async () => {
  const { receiver, service, deliver, list } = await startWithTarget()
  const poison = await buy(service)
  receiver.answerTo = (body) => (body.id === poison ? 500 : undefined)
  const waiting = [await buy(service), await buy(service)]
  await deliver()
  expect(ids(receiver.received)).toEqual([poison, ...waiting])

  // Orders that come later do not wait for it either, and do not make it due again and again.
  receiver.received.length = 0
  const later: string[] = []
  for (let minute = 0; minute < 60; minute += 1) {
    if (minute % 6 === 0) later.push(await buy(service))
    service.clock.advance(MINUTE)
    await deliver()
  }
  expect(ids(receiver.received).filter((id) => id !== poison)).toEqual(later)
  expect(ids(receiver.received).filter((id) => id === poison).length).toBeLessThanOrEqual(6)

  // Once the receiver can take it, it arrives: "created" first, then the present state.
  await report(service, poison, 'arrived')
  receiver.answerTo = () => undefined
  receiver.received.length = 0
  service.clock.advance(2 * HOUR)
  await deliver()
  await deliver()
  expect(ids(receiver.received)).toEqual([poison, poison])
  expect((await list()).targets).toMatchObject([{ waiting: 0 }])
})

test('a receiver that is down gets new messages to see whether it is back; then everything that waited is due', async () => {
  const { receiver, service, deliver, list } = await startWithTarget()
  receiver.usual = 503
  for (let i = 0; i < 5; i += 1) await buy(service)
  for (let round = 0; round < 6; round += 1) {
    await deliver()
    // The longest wait is twelve hours and a fifth.
    service.clock.advance(15 * HOUR)
  }
  const calls = receiver.received.length
  await deliver()
  // A pause of twelve hours has begun; what waits is not sent in it, a new order is.
  service.clock.advance(MINUTE)
  await deliver()
  expect(receiver.received).toHaveLength(calls + 1)
  receiver.usual = 204
  await buy(service)
  await deliver()
  await deliver()
  expect((await list()).targets).toMatchObject([{ waiting: 0 }])
})

test('Retry-After holds for messages that are written later', async () => {
  const { receiver, service, deliver } = await startWithTarget()
  receiver.answers.push({ status: 503, headers: { 'retry-after': '600' } })
  const first = await buy(service)
  await deliver()
  const second = await buy(service)
  service.clock.advance(9 * MINUTE)
  await deliver()
  expect(receiver.received).toHaveLength(1)
  service.clock.advance(2 * MINUTE)
  await deliver()
  expect(ids(receiver.received).toSorted()).toEqual([first, first, second].toSorted())
})

test('an exception while sending is a failed try of that message: others are sent, it ends after 5 days, no secret is logged', async () => {
  const { receiver, service, deliver, list } = await startWithTarget()
  const broken = await buy(service)
  await service.ctx.store.db.updateTable('purchase').set({ body: 'https://user:secret@example.com' }).execute()
  const healthy = await buy(service)
  await deliver()
  expect(ids(receiver.received)).toEqual([healthy])
  const of = async (id: string) =>
    (await list()).deliveries.find(({ order_id: order }: { order_id: string }) => order === id)
  expect(await of(broken)).toMatchObject({ state: 'waiting', attempts: 1 })
  expect(JSON.stringify(service.log)).not.toContain('secret')
  service.clock.advance(5 * DAY)
  await deliver()
  expect(await of(broken)).toMatchObject({ state: 'dead' })
  expect(await service.events('webhook')).toMatchObject([{ code: 'webhook_given_up' }])
})

test('what waits for a target that was removed ends after 5 days with one event; it cannot be sent again', async () => {
  const { receiver, service, deliver } = await startWithTarget()
  receiver.usual = 503
  await buy(service)
  await buy(service)
  await deliver()
  const [{ id }] = (await service.get('/webhooks')).body.deliveries
  const after = await start({ store: service.ctx.store, clock: service.clock, config: { webhookTargets: [] } })
  after.clock.advance(5 * DAY - SECOND)
  await after.job('end-removed-webhooks')
  expect(await after.events('webhook')).toEqual([])
  after.clock.advance(SECOND)
  await after.job('end-removed-webhooks')
  await after.job('end-removed-webhooks')
  expect(await after.events('webhook')).toMatchObject([
    { code: 'messages_given_up', params: { receiver: 'platform', count: 2 } },
  ])
  const refused = await after.post(`/webhooks/${id}/redeliver`)
  expect([refused.status, refused.body.messages[0].code]).toEqual([409, 'not_editable'])
})

test('sending an order once more leaves an event that says who asked for it', async () => {
  const { service, deliver, list } = await startWithTarget()
  const order = await buy(service)
  await deliver()
  const [{ id }] = (await list()).deliveries
  await service.post(`/webhooks/${id}/redeliver`)
  expect(await service.events('webhook')).toMatchObject([
    { code: 'webhook_redelivered', params: { order, target: 'platform' }, by: { role: 'operator' } },
  ])
})

test('a target with an agent gets the orders whose checkout was created or changed under it', async () => {
  const profile = 'https://platform.example/profile'
  const { receiver, service, deliver } = await startWithTarget({ agent: profile }, ['purchase'])
  const headers = { 'ucp-agent': `profile="${profile}"` }
  const other = { 'ucp-agent': 'profile="https://other.example/profile"' }
  const lines = { line_items: [line(WATER, 1, 'BX')] }
  const made = async (by: Record<string, string>) => (await create(service, lines, by)).body.id as string
  const complete = (id: string, by: Record<string, string> = {}) =>
    service.post(`/checkout-sessions/${id}/complete`, { confirm: true }, { headers: by })
  const created = await made(headers)
  await complete(created)
  const changed = await made({})
  await service.put(`/checkout-sessions/${changed}`, lines, { headers })
  // A person who changes it in the console names no agent.
  await service.put(`/checkout-sessions/${changed}`, { line_items: [line(WATER, 2, 'BX')] })
  await complete(changed, other)
  const completed = await made({})
  await complete(completed, headers)
  await complete(await made(other), headers)
  await complete(await made({}))
  await deliver()
  expect(ids(receiver.received)).toEqual([created, changed, completed])
})
