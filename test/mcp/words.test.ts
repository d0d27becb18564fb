/** What an agent hears when it calls a tool wrongly: paths of the arguments it wrote, and names of tools. */
import { describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/contract/tools.ts'
import { addKey } from '../people/keys.ts'
import { COLA, MACHINE, startRoute } from '../replenishment/route.ts'
import { callTool } from '../support/mcp.ts'
import { TOKEN } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { EVERYTHING } from './both-ways.ts'

const start = () => startRoute({ config: EVERYTHING })

async function refusalsOf(service: Service, name: string, args: object, token = TOKEN): Promise<Json[]> {
  const { body } = await callTool(service, name, args, { token })
  expect(body.result.isError, name).toBe(true)
  return body.result.structuredContent.messages
}

const line_items = [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }]
const brief = ({ code, path }: Json): string => `${code} ${path}`

describe('the body of an operation is an argument of its tool', () => {
  test('a member beside it is named, and so is what is missing', async () => {
    const service = await start()
    const { id } = (await callTool(service, 'create_checkout', { checkout: { line_items } })).body.result
      .structuredContent
    const confirmed = await refusalsOf(service, 'complete_checkout', { id, confirm: true, meta: {} })
    expect(confirmed.map(brief)).toEqual(['confirmation_required $.checkout.confirm', 'invalid $.confirm'])
    expect(confirmed[0].content).toMatch(/check the total/)
    expect(confirmed[0].content).not.toMatch(/\btrue\b/)
    expect(confirmed[1].content).toBe('confirm is a member of checkout, not an argument of complete_checkout')
    const created = await refusalsOf(service, 'create_checkout', { line_items })
    expect(created.map(brief)).toEqual(['missing $.checkout', 'invalid $.line_items'])
    expect(created[0].content).toBe('checkout is required: an object with line_items')
    const updated = await refusalsOf(service, 'update_checkout', { id, line_items })
    expect(updated.map(brief)).toEqual(['missing $.checkout', 'invalid $.line_items'])
    const searched = await refusalsOf(service, 'search_catalog', { query: 'cola' })
    expect(searched.map(brief)).toEqual(['missing $.catalog', 'invalid $.query'])
    expect(service.supply.script.count('createOrder')).toBe(0)
  })

  test('paths and names begin with it, wherever the problem is found', async () => {
    const service = await start()
    const wrong = [{ item: { id: 'acme-supply:SP1' }, quantity: 0 }]
    const [shape] = await refusalsOf(service, 'create_checkout', { checkout: { line_items: wrong } })
    expect(shape).toMatchObject({
      path: '$.checkout.line_items[0].quantity',
      content: 'checkout.line_items[0].quantity must be at least 1',
    })
    const [product] = await refusalsOf(service, 'create_checkout', {
      checkout: { line_items: [{ item: { id: COLA }, quantity: 1 }] },
    })
    expect(product).toMatchObject({
      code: 'namespace_mismatch',
      path: expect.stringMatching(/^\$\.checkout\.line_items/),
    })
    expect(product.content).toContain('vending_resolve_skus')
    expect(product.content).not.toContain('/skus')
    const [kind] = await refusalsOf(service, 'create_checkout', { checkout: 7 })
    expect(kind).toMatchObject({ path: '$.checkout', content: 'checkout must be an object' })
    const [dryRun] = await refusalsOf(service, 'create_checkout', { checkout: { line_items, dry_run: true } })
    expect(dryRun).toMatchObject({ code: 'invalid', path: '$.checkout.dry_run' })
  })

  test('an amount with decimals is told what minor units are', async () => {
    const service = await start()
    const price = { amount: 5.5, currency: 'CNY' }
    const args = { id: MACHINE, prices: [{ item: { id: COLA }, price }], confirm: true }
    const [problem] = await refusalsOf(service, 'vending_change_prices', args)
    expect(problem).toMatchObject({ code: 'invalid', path: '$.prices[0].price.amount' })
    expect(problem.content).toContain('5.50 is 550')
  })
})

describe('an argument that a tool does not have', () => {
  test('is refused by every tool but the emergency stop, and nothing is done', async () => {
    const service = await start()
    const { key } = await addKey(service, 'owner')
    for (const tool of TOOLS.filter(({ operationId }) => operationId !== 'pullEmergencyStop')) {
      const problems = await refusalsOf(service, tool.name, { nonsense_at_all: 1 }, key)
      const problem = problems.find(({ path }) => path === '$.nonsense_at_all')
      expect(problem, tool.name).toMatchObject({ code: 'invalid' })
      for (const name of tool.argumentNames) expect(problem.content, tool.name).toContain(name)
    }
    const stopped = await callTool(service, 'vending_pull_emergency_stop', { reason: 'test', nonsense_at_all: 1 })
    expect(stopped.body.result.isError).toBeUndefined()
  })

  test('hears of the closest one', async () => {
    const service = await start()
    const [problem] = await refusalsOf(service, 'vending_get_plan', { locations: MACHINE })
    expect(problem).toMatchObject({ code: 'invalid', path: '$.locations' })
    expect(problem.content).toBe('vending_get_plan has no argument locations. Did you mean location?')
    const [odd] = await refusalsOf(service, 'vending_get_plan', { "it's": 1 })
    expect(odd.path).toBe(String.raw`$['it\'s']`)
  })

  test('inside a body it is ignored, as over REST', async () => {
    const service = await start()
    const { body } = await callTool(service, 'create_checkout', { checkout: { line_items, nonsense: 1 } })
    expect(body.result.isError).toBeUndefined()
    expect((await service.post('/checkout-sessions?nonsense=1', { line_items, nonsense: 1 })).status).toBe(201)
  })
})

test('names in fields that the answer does not have are refused', async () => {
  const service = await start()
  const [problem] = await refusalsOf(service, 'vending_get_plan', { fields: ['slot_id', 'stok'] })
  expect(problem).toMatchObject({ code: 'invalid', path: '$.fields[1]' })
  expect(problem.content).toBe('The answer has no member stok. Did you mean stock?')
  const [list] = await refusalsOf(service, 'vending_get_plan', { fields: 'slot_id' })
  expect(list).toMatchObject({ code: 'invalid', path: '$.fields' })
  const [odd] = await refusalsOf(service, 'vending_get_plan', { fields: [{ toString: 1 }] })
  expect(odd).toMatchObject({ code: 'invalid', path: '$.fields[0]' })
  const { key } = await addKey(service, 'owner')
  for (const tool of TOOLS.filter(({ argumentNames }) => argumentNames.has('fields')))
    expect(await refusalsOf(service, tool.name, { fields: ['nonsense_at_all'] }, key), tool.name).toContainEqual(
      expect.objectContaining({ code: 'invalid', path: '$.fields[0]' }),
    )
})

test('a key that is no key is refused, so that a write is not done twice', async () => {
  const service = await start()
  const keyed = (meta: unknown) => refusalsOf(service, 'vending_create_run', { meta })
  expect((await keyed({ 'idempotency-key': 7 })).map(brief)).toEqual(["invalid $.meta['idempotency-key']"])
  expect((await keyed({ 'idempotency-key': '' })).map(brief)).toEqual(["invalid $.meta['idempotency-key']"])
  expect((await keyed('key-1')).map(brief)).toEqual(['invalid $.meta'])
  expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
})

test('a machine that is not on the route is not found in the plan, over REST and as a tool', async () => {
  const service = await start()
  const answer = await service.get('/replenishment/plan?location=M9999')
  expect([answer.status, answer.body.messages.map(brief)]).toEqual([404, ['not_found $.location']])
  const [problem] = await refusalsOf(service, 'vending_get_plan', { location: 'M9999' })
  expect(brief(problem)).toBe('not_found $.location')
})

test('a day where an instant is needed hears the form, and a yes or no is a boolean', async () => {
  const service = await start()
  const [problem] = await refusalsOf(service, 'vending_list_orders', { from: '2026-11-16' })
  expect(problem).toMatchObject({ code: 'invalid', path: '$.from' })
  expect(problem.content).toContain('such as 2026-09-10T08:00:00+08:00')
  const { body } = await callTool(service, 'vending_list_approvals', { details: true })
  expect(body.result.isError).toBeUndefined()
})
