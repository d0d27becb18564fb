/** Every row of the operations table over HTTP, with the kill switch engaged and with unreadable rules. */
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import type { OperationId } from '../../src/contract/handlers.ts'
import { guardOf } from '../../src/contract/operation.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS, operationIds } from '../../src/contract/operations.ts'
import { line, SHIPPING, start, WATER } from '../checkout/support.ts'
import { register } from '../pricing/machines.ts'
import { RULES } from '../support/service.ts'
import type { Answered, Service } from '../support/service.ts'

const row = (id: OperationId): Operation => OPERATIONS[id]
const writes = operationIds.filter((id) => row(id).write && id !== 'pullEmergencyStop')
const guarded = writes.filter((id) => guardOf(row(id)) !== undefined)
const unguarded = writes.filter((id) => guardOf(row(id)) === undefined)

interface Prepared {
  readonly service: Service
  readonly params: Partial<Record<OperationId, Readonly<Record<string, string>>>>
}

/** A machine for the examples, and a purchase above the limit: a session to complete and a decision to approve. */
async function prepare(): Promise<Prepared> {
  const service = await start()
  await register(service, 'M001')
  const { body } = await service.post('/checkout-sessions', {
    line_items: [line(WATER, 30, 'BX')],
    fulfillment: SHIPPING,
  })
  expect(body.status).toBe('requires_escalation')
  const [{ id }] = body.actions['com.example.vending.approval']
  return { service, params: { completeCheckout: { id: body.id }, resolveApproval: { id } } }
}

const STATES = {
  'kill switch engaged at run time': async (service: Service) => {
    await service.post('/guardrails/stop', { reason: 'prices look wrong' })
  },
  'kill switch engaged in the rules file': async (service: Service) =>
    service.writeRules({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }),
  'unreadable rules': async (service: Service) => service.writeRules('{'),
} as const

/** What the row's guard answers in this state; undefined when it lets the call through. */
function expectedRefusal(operation: Operation, state: keyof typeof STATES): readonly [number, string] | undefined {
  const guard = guardOf(operation)
  if (guard === undefined) return undefined
  if (state !== 'unreadable rules') return [409, 'kill_switch_engaged']
  return guard === 'rules' ? [503, 'guard_unverifiable'] : undefined
}

function call({ service, params }: Prepared, id: OperationId, key?: string): Promise<Answered> {
  const { method, path } = row(id)
  const example = EXAMPLES[id] ?? {}
  const values = { ...('params' in example ? example.params : {}), ...params[id] } as Record<string, string>
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return service.call(method, url, {
    ...('body' in example ? { body: example.body } : {}),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
}

const refusalOf = ({ status, body }: Answered) => [status, body.messages?.[0]?.code]

describe.each(Object.entries(STATES))('%s', (state, enter) => {
  test('each guarded operation is refused before its handler runs, exactly as its row says; no other one is', async () => {
    const prepared = await prepare()
    const { service } = prepared
    await enter(service)
    const expected = (id: OperationId) => expectedRefusal(row(id), state as keyof typeof STATES)
    // Refused ones change nothing, so they come first.
    for (const id of guarded) {
      const refusal = expected(id)
      if (refusal) await expectRefused(prepared, id, refusal)
    }
    for (const id of guarded.filter((each) => expected(each) === undefined)) {
      const answer = await call(prepared, id, `key of ${id}`)
      // Its guard is the stop, because rejecting needs no rules. Approving, as in the example, does.
      if (id === 'resolveApproval') expect([id, ...refusalOf(answer)]).toEqual([id, 503, 'guard_unverifiable'])
      else expect([id, answer.body.messages?.[0]?.code]).not.toEqual([id, 'guard_unverifiable'])
    }
    for (const id of unguarded)
      expect([id, ...refusalOf(await call(prepared, id))]).not.toEqual([id, 409, 'kill_switch_engaged'])
  })
})

async function expectRefused(
  prepared: Prepared,
  id: OperationId,
  [status, code]: readonly [number, string],
): Promise<void> {
  const { supply, machine, events } = prepared.service
  const sentBefore = [supply.script.calls.length, machine.script.calls.length]
  const before = await events()
  const answer = await call(prepared, id, `key of ${id}`)
  expect([id, ...refusalOf(answer), answer.body.ucp.status]).toEqual([id, status, code, 'error'])
  expect([id, answer.headers['retry-after']]).toEqual([id, status === 503 ? '30' : undefined])
  expect([id, supply.script.calls.length, machine.script.calls.length]).toEqual([id, ...sentBefore])
  const after = await events()
  const added = after.slice(0, after.length - before.length)
  expect([id, ...added.map(({ params }) => params?.reason)]).toEqual([id, ...(row(id).recordsRefusals ? [code] : [])])

  // A 409 is stored under its Idempotency-Key, a 503 is not.
  const again = await call(prepared, id, `key of ${id}`)
  expect([id, ...refusalOf(again), again.headers['idempotent-replayed']]).toEqual([
    id,
    status,
    code,
    status === 409 ? 'true' : undefined,
  ])
}

test('the table has operations of both kinds', () => {
  expect(guarded.length).toBeGreaterThan(5)
  expect(unguarded.length).toBeGreaterThan(5)
})

test('a call that sends nothing runs although its operation is guarded', async () => {
  const prepared = await prepare()
  const { service, params } = prepared
  await STATES['kill switch engaged at run time'](service)
  expect(refusalOf(await service.post('/checkout-sessions/unknown/complete', { confirm: true }))).toEqual([
    404,
    'not_found',
  ])
  const rejected = await service.post(`/approvals/${params.resolveApproval?.['id']}`, { approved: false })
  expect([rejected.status, rejected.body.status]).toEqual([200, 'rejected'])
  expect(refusalOf(await call(prepared, 'resolveApproval')), 'resolved already').toEqual([409, 'already_resolved'])
  const canceled = await call(prepared, 'completeCheckout')
  expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled'])
})
