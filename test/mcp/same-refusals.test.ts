/**
 * What an operation refuses over REST, its tool refuses with the same code and values, in its own words: to whom it is not allowed, what
 * is not valid, what does not exist, and what the emergency stop or unreadable rules forbid. One service is asked both ways:
 * a refusal changes nothing.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import { guardOf } from '../../src/contract/operation.ts'
import { TOOLS } from '../../src/contract/tools.ts'
import type { Tool } from '../../src/contract/tools.ts'
import { PERSON_ROLES } from '../../src/kernel/person.ts'
import type { PersonRole } from '../../src/kernel/person.ts'
import { addKey } from '../people/keys.ts'
import { decisionOf, MACHINE, startRoute } from '../replenishment/route.ts'
import type { OperationCall } from '../support/mcp.ts'
import type { Answered, Service } from '../support/service.ts'
import { EVERYTHING, expectBothOf } from './both-ways.ts'

let service: Service
const keys = new Map<string, string>([['nobody', 'not-a-key']])

beforeEach(async () => {
  service = await startRoute({ config: EVERYTHING })
  for (const role of PERSON_ROLES) keys.set(role, (await addKey(service, role, `a ${role}`)).key)
})

const refusalOf = ({ status, body }: Answered): string => `${status} ${body.messages?.[0]?.code}`

async function ask(tool: Tool, call: OperationCall, who: string): Promise<string> {
  const token = keys.get(who) ?? ''
  const answer = await expectBothOf({ rest: service, mcp: service, tokens: { rest: token, mcp: token } })(
    tool.operationId,
    call,
  )
  return refusalOf(answer)
}

const exampleOf = ({ operationId }: Tool) => (EXAMPLES[operationId] ?? {}) as OperationCall

/** Who may not call it: a role, or, where every role may, somebody without a key. */
const strangerOf = ({ operation: { roles } }: Tool): PersonRole | 'nobody' =>
  PERSON_ROLES.find((role) => roles !== 'anyone' && !roles.includes(role)) ?? 'nobody'

test('every operation, for those to whom it is not allowed', async () => {
  for (const tool of TOOLS) {
    const who = strangerOf(tool)
    const expected = who === 'nobody' ? '401 unauthorized' : '403 forbidden'
    expect(await ask(tool, exampleOf(tool), who), `${tool.operationId} for ${who}`).toBe(expected)
  }
})

/** A member, an entry of the query or of the path that its schema refuses. */
function invalidCall(tool: Tool): OperationCall | undefined {
  const example = exampleOf(tool)
  const [first] = Object.entries((example.body as object | undefined) ?? {})
  if (first) {
    const [member, value] = first
    const wrong = typeof value === 'object' ? 7 : { a: [1] }
    return { ...example, body: { ...(example.body as object), [member]: wrong } }
  }
  if (tool.queryNames.includes('limit')) return { ...example, query: { limit: 0 } }
  const [name] = tool.paramNames
  return name === undefined ? undefined : { ...example, params: { ...example.params, [name]: 'x'.repeat(300) } }
}

test('every operation that takes something, with what is not valid', async () => {
  const takesNothing: string[] = []
  for (const tool of TOOLS) {
    const call = invalidCall(tool)
    if (call) expect(await ask(tool, call, 'owner'), tool.operationId).toMatch(/^400 |not_found/)
    else takesNothing.push(tool.operationId)
  }
  expect(takesNothing.length).toBeLessThan(TOOLS.length / 4)
})

test('every operation on something that does not exist', async () => {
  const withIds = TOOLS.filter(
    ({ paramNames, operation: { codes } }) => paramNames.includes('id') && codes?.includes('not_found'),
  )
  expect(withIds.length).toBeGreaterThan(15)
  for (const tool of withIds) {
    const example = exampleOf(tool)
    const call = { ...example, params: { ...example.params, id: 'nothing-here' } }
    expect(await ask(tool, call, 'owner'), tool.operationId).toMatch(/not_found/)
  }
})

describe('guarded operations', () => {
  const guarded = TOOLS.filter(({ operation }) => guardOf(operation) !== undefined)

  /** A purchase above the limit, to complete and to approve. */
  async function subjects(): Promise<Readonly<Record<string, string>>> {
    const line_items = [{ item: { id: 'acme-supply:SP1' }, quantity: 500 }]
    const destinations = [{ street_address: '1 Road', first_name: 'Wu', phone_number: '138' }]
    const fulfillment = { methods: [{ type: 'shipping', destinations }] }
    const { body } = await service.post('/checkout-sessions', { line_items, fulfillment })
    return { completeCheckout: body.id, resolveApproval: decisionOf(body) }
  }

  async function expectRefused(tools: readonly Tool[], ids: Readonly<Record<string, string>>, expected: string) {
    for (const tool of tools) {
      const { params, ...rest } = exampleOf(tool)
      const id = ids[tool.operationId] ?? MACHINE
      const call = { ...rest, ...(params && { params: 'id' in params ? { ...params, id } : params }) }
      expect(await ask(tool, call, 'owner'), tool.operationId).toBe(expected)
    }
  }

  test('while the rules cannot be read', async () => {
    const ids = await subjects()
    service.writeRules('{')
    const byRules = guarded.filter(({ operation }) => guardOf(operation) === 'rules')
    expect(byRules.length).toBeGreaterThan(2)
    await expectRefused(byRules, ids, '503 guard_unverifiable')
  })

  test('while the emergency stop is engaged', async () => {
    const ids = await subjects()
    await service.post('/guardrails/stop', { reason: 'test' })
    expect(guarded.length).toBeGreaterThan(2)
    await expectRefused(guarded, ids, '409 kill_switch_engaged')
  })
})
