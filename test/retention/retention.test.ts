/** RETENTION_DAYS: what is removed, and what stays however old it is. */
import { expect, test } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { appendEvent } from '../../src/record/events/records.ts'
import { DAY } from '../../src/kernel/clock.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'

const destination = { id: 'd1', street_address: '1 Road', first_name: 'Li', phone_number: '1' }
const fulfillment = { methods: [{ type: 'shipping', destinations: [destination] }] }
const lines = (quantity = 1) => ({
  line_items: [{ item: { id: 'acme-supply:SP1' }, quantity, quantity_unit: { unit: 'BX' } }],
  fulfillment,
})

const start = () =>
  startService({
    supply: scriptedSupply([supplyProduct('SP1')]),
    rules: { ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 5000 } },
  })
type Service = Awaited<ReturnType<typeof start>>

async function create(service: Service, quantity?: number): Promise<string> {
  const { status, body } = await service.post('/checkout-sessions', lines(quantity))
  expect(status).toBe(201)
  return body.id
}
const exists = async (service: Service, id: string) => (await service.get(`/checkout-sessions/${id}`)).status === 200

test('events older than RETENTION_DAYS go, those of attempts stay, and the audit stays clean', async () => {
  const service = await start()
  const bought = await create(service)
  expect((await service.post(`/checkout-sessions/${bought}/complete`, { confirm: true })).body.status).toBe('completed')
  await service.post('/events', { kind: 'note', summary: 'old', reasoning: '' })
  service.clock.advance(399 * DAY)
  await service.post('/events', { kind: 'note', summary: 'young', reasoning: '' })
  await service.job('retention')
  expect((await service.events('note')).map(({ summary }) => summary)).toEqual(['young', 'old'])
  service.clock.advance(2 * DAY)
  await service.job('retention')
  expect((await service.events('note')).map(({ summary }) => summary)).toEqual(['young'])
  expect(await service.events('checkout'), 'the attempt refers to it').toHaveLength(1)
  expect(await exists(service, bought)).toBe(true)
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
})

test('closed drafts go; sessions with an attempt or a decision, and open ones, stay', async () => {
  const service = await start()
  const draft = await create(service)
  const expired = await create(service)
  const decided = await create(service, 10)
  const attempted = await create(service)
  const bought = await create(service)
  await service.post(`/checkout-sessions/${bought}/complete`, { confirm: true })
  service.supply.script.next('placeOrder', {
    instead: { ok: false, reason: 'rejected', message: 'no' },
  })
  await service.post(`/checkout-sessions/${attempted}/complete`, { confirm: true })
  for (const id of [draft, decided, attempted]) await service.post(`/checkout-sessions/${id}/cancel`)
  service.clock.advance(2 * DAY)
  expect((await service.get(`/checkout-sessions/${expired}`)).body.status).toBe('canceled')
  service.clock.advance(397 * DAY)
  await service.job('retention')
  expect(await exists(service, draft), 'not old enough').toBe(true)
  service.clock.advance(5 * DAY)
  const open = await create(service)
  await service.job('retention')
  const left = await Promise.all([draft, expired, decided, attempted, bought, open].map((id) => exists(service, id)))
  expect(left).toEqual([false, false, true, true, true, true])
  expect((await service.get('/approvals?status=all')).body.approvals).toHaveLength(1)
})

test('more than one step is removed in one round, in order, also with events in between that are kept', async () => {
  const service = await start()
  const { store } = service.ctx
  const bought = await create(service)
  await service.post(`/checkout-sessions/${bought}/complete`, { confirm: true })
  await store.transaction(async (tx) => {
    for (let i = 0; i < 1200; i++)
      await appendEvent(service.ctx, tx, { kind: 'note', summary: `${i}`, reasoning: '', author: 'operator' })
  })
  service.clock.advance(401 * DAY)
  await service.job('retention')
  const rest = await store.db.selectFrom('event').select('kind').execute()
  expect(rest.map(({ kind }) => kind)).toEqual(['checkout'])
})
