import { expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { failure, scriptedMachine } from '../support/scripted-vendors.ts'
import type { Answered, Service } from '../support/service.ts'
import { codes, COLA, MACHINE, routeSlots, startRoute, TEA, withRules } from './route.ts'

const line = (id: string, more: object = {}) => ({ item: { id }, quantity: 5, reason: 'sells fast', ...more })
const advise = (service: Service, lines: unknown, location = MACHINE): Promise<Answered> =>
  service.post(`/locations/${location}/restock-recommendations`, { reference: 'batch-7', line_items: lines })
const refusal = ({ status, body }: Answered) => [status, codes(body)]

test("4.7 advice goes into the platform's own queue under its batch number; no event is written", async () => {
  const service = await startRoute()
  const before = (await service.events()).length
  const answer = await advise(service, [line(COLA), line(TEA, { quantity: 2 })])
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ location: MACHINE, reference: 'batch-7', accepted: 2 })
  expect(service.machine.advice.get(`${MACHINE} batch-7`)).toEqual([
    { vendorSku: 'G-1', quantity: 5, reason: 'sells fast' },
    { vendorSku: 'G-2', quantity: 2, reason: 'sells fast' },
  ])
  expect(await service.events()).toHaveLength(before)
})

test('a product that the machine does not hold is sent with a warning that names it', async () => {
  const service = await startRoute()
  const { status, body } = await advise(service, [line(COLA), line('acme-machine:G-99')])
  expect([status, body.accepted, codes(body)]).toEqual([200, 2, ['not_in_machine']])
  expect(body.messages[0]).toMatchObject({ type: 'warning', path: '$.line_items[1].item.id' })
  expect((await advise(service, [line(COLA)])).body).not.toHaveProperty('messages')
})

test('8 reasons above 100 characters are truncated, by whole characters', async () => {
  const service = await startRoute()
  await advise(service, [line(COLA, { reason: '卖'.repeat(99) + '🥤' + 'x'.repeat(50) })])
  expect(service.machine.advice.get(`${MACHINE} batch-7`)).toMatchObject([{ reason: '卖'.repeat(99) + '🥤' }])
})

test('a reason of any length is truncated, never refused', async () => {
  const service = await startRoute()
  expect((await advise(service, [line(COLA, { reason: '卖'.repeat(200_000) })])).status).toBe(200)
  expect(service.machine.advice.get(`${MACHINE} batch-7`)).toMatchObject([{ reason: '卖'.repeat(100) }])
})

test('no confirm is needed, but the emergency stop applies', async () => {
  const service = await startRoute({ rules: withRules({ killSwitchEngaged: true }) })
  expect(refusal(await advise(service, [line(COLA)]))).toEqual([409, ['kill_switch_engaged']])
  expect(service.machine.script.count('restockRecommend')).toBe(0)
})

test('rules that cannot be read: 503, nothing is sent', async () => {
  const service = await startRoute({ rules: '{' })
  expect(refusal(await advise(service, [line(COLA)]))).toEqual([503, ['guard_unverifiable']])
  expect(service.machine.script.count('restockRecommend')).toBe(0)
})

test('a machine that is not registered: 404', async () => {
  expect(refusal(await advise(await startRoute(), [line(COLA)], 'M9999'))).toEqual([404, ['not_found']])
})

test('products of another namespace, or of none', async () => {
  const service = await startRoute()
  expect(refusal(await advise(service, [line(COLA), line('acme-supply:SP1')]))).toEqual([400, ['namespace_mismatch']])
  expect(refusal(await advise(service, [line('nobody-machine:1')]))).toEqual([400, ['namespace_mismatch']])
})

test.each([
  ['no lines', [], ['invalid']],
  ['a quantity of 0', [line(COLA, { quantity: 0 })], ['invalid']],
  ['no reason', [{ item: { id: COLA }, quantity: 1 }], ['missing']],
])('400 for %s', async (_, lines, expectedCodes) => {
  expect(refusal(await advise(await startRoute(), lines))).toEqual([400, expectedCodes])
})

test('2.9 a platform that accepts no advice: namespace_unsupported', async () => {
  const machine = scriptedMachine({ [MACHINE]: routeSlots() })
  const service = await startRoute({
    entries: [
      plannedVendor('acme-supply' as Namespace),
      registerLive('acme-machine' as Namespace, machine.vendor, ['inventory', 'ledger']),
    ],
  })
  expect(refusal(await advise(service, [line(COLA)]))).toEqual([400, ['namespace_unsupported']])
})

test.each([
  ['rejected', 502, 'supplier_rejected'],
  ['unknown', 502, 'upstream_unreachable'],
  ['unauthorized', 401, 'unauthorized'],
] as const)('an upstream that answers %s: %i %s with its text', async (reason, status, code) => {
  const service = await startRoute()
  service.machine.script.next('restockRecommend', { instead: failure(reason, 'queue closed') })
  const answer = await advise(service, [line(COLA)])
  expect(refusal(answer)).toEqual([status, [code]])
  expect(answer.body.messages[0].content).toContain('queue closed')
})
