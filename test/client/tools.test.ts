/** `toTools()`: the service as tools of a chat-completion API, with a model that is played here. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient, toTools, VendopsError } from '../../src/client/index.ts'
import type { ModelTool, ModelTools } from '../../src/client/tools.ts'
import { scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { startService, TOKEN } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const BASE = 'https://vending.example.com'

/** The service without a socket. */
const through =
  ({ server }: Service): typeof fetch =>
  async (url, init) => {
    const answer = await server.inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: (url as string).slice(BASE.length),
      headers: init?.headers as Record<string, string>,
      ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
    })
    return new Response(answer.body, { status: answer.statusCode })
  }

test('lists tools with their schemas and runs what a model asks for', async () => {
  const service = await startService()
  const options = { baseUrl: BASE, token: TOKEN, fetch: through(service) }
  const { tools, instructions, run } = await toTools(options)
  expect(instructions).toContain('confirm: true')
  expect(tools.find((tool) => tool.function.name === 'complete_checkout')?.function.parameters).toMatchObject({
    properties: { checkout: { properties: { confirm: { const: true } } } },
  })
  const answer = JSON.parse(await run('vending_append_event', '{"kind":"note","summary":"Seen","reasoning":"Round"}'))
  const { events } = await createClient(options).listEvents()
  expect(events[0]?.id).toBe(answer.id)
  expect(JSON.parse(await run('get_order', { id: 'nothing' })).messages[0].code).toBe('not_found')
  expect(await run('get_order', '{')).toContain('not valid JSON')
  expect(await run('vending_resolve_approval', {})).toContain('Unknown tool')
})

test('narrows what is offered, and reports a wrong token', async () => {
  const service = await startService()
  const options = { baseUrl: BASE, token: TOKEN, fetch: through(service), readOnly: true, toolsets: ['orders'] }
  const { tools } = await toTools(options)
  expect(tools.map((tool) => tool.function.name)).toContain('vending_list_orders')
  expect(tools.map((tool) => tool.function.name)).not.toContain('create_checkout')
  const refused = toTools({ ...options, token: 'wrong' })
  await expect(refused).rejects.toBeInstanceOf(VendopsError)
  await expect(refused).rejects.toMatchObject({ code: 'unauthorized' })
})

test('a call whose answer is lost is sent again with the same key, and is done once', async () => {
  const service = await startService()
  let lost = 0
  const losing: typeof fetch = async (url, init) => {
    const answer = await through(service)(url, init)
    const isAppend = typeof init?.body === 'string' && init.body.includes('vending_append_event')
    if (!isAppend || lost > 0) return answer
    lost += 1
    throw new TypeError('fetch failed')
  }
  const options = { baseUrl: BASE, token: TOKEN, fetch: losing }
  const { run } = await toTools(options)
  const answer = JSON.parse(await run('vending_append_event', { kind: 'note', summary: 'Seen', reasoning: 'Round' }))
  expect(lost).toBe(1)
  const { events } = await createClient({ ...options, fetch: through(service) }).listEvents({ query: { kind: 'note' } })
  expect(events.map(({ id }) => id)).toEqual([answer.id])
})

test('a service that cannot be reached is a text for the model', async () => {
  const service = await startService()
  let isDown = false
  const fetching: typeof fetch = (url, init) =>
    isDown ? Promise.reject(new TypeError('fetch failed')) : through(service)(url, init)
  const { run } = await toTools({ baseUrl: BASE, token: TOKEN, fetch: fetching })
  isDown = true
  expect(JSON.parse(await run('get_order', { id: 'x' }))).toEqual({ error: 'The service cannot be reached' })
})

interface ModelMessage {
  readonly role: string
  readonly content?: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
}

/** Answers of a chat-completion API, each from the conversation so far: what a model would do to buy water. */
const MODEL: readonly ((results: readonly Json[]) => readonly [string, object] | string)[] = [
  () => ['search_catalog', { catalog: { query: '水', filters: { namespace: 'acme-supply' } } }],
  ([found]) => ['create_checkout', { checkout: { line_items: [{ item: { id: found.products[0].id }, quantity: 2 }] } }],
  ([, created]) => ['update_checkout', { id: created.id, checkout: { fulfillment: FULFILLMENT } }],
  // Without consent first, as a careless model would: the schema says that it must be true.
  ([, created]) => ['complete_checkout', { id: created.id, checkout: {} }],
  ([, created]) => ['complete_checkout', { id: created.id, checkout: { confirm: true } }],
  ([, , , , completed]) => ['get_order', { id: completed.order.id }],
  ([, , , , , order]) => `Bought: ${order.label}`,
]

const FULFILLMENT = {
  methods: [{ type: 'shipping', destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '138' }] }],
}

/** As `new OpenAI()` of the package `openai`. */
class PlayedModel {
  readonly chat = {
    completions: {
      create: async ({ messages, tools }: { messages: readonly ModelMessage[]; tools: readonly ModelTool[] }) => {
        const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.parse(content ?? '')] : []))
        const said = MODEL[results.length]?.(results)
        if (!Array.isArray(said)) return { choices: [{ message: { role: 'assistant', content: said } }] }
        const [name, args] = said
        if (!tools.some((tool) => tool.function.name === name)) throw new Error(`${name} is not offered`)
        const called = {
          id: `call_${results.length}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }
        return { choices: [{ message: { role: 'assistant', content: null, tool_calls: [called] } }] }
      },
    },
  }
}

test('the loop of docs/agents.md, as it stands there, buys with a played model', async () => {
  const service = await startService({ supply: scriptedSupply([supplyProduct('SP1', { title: '水 550ml' })]) })
  const [, loop = ''] = /```ts\n(import OpenAI[\s\S]*?)```/.exec(readFileSync('docs/agents.md', 'utf8')) ?? []
  // Imports are given from outside, the token and the address are those of the test, and this model also writes.
  const body = loop
    .replaceAll(/^import .*$/gm, '')
    .replace('https://vending.example.com', BASE)
    .replace(', readOnly: true', '')
  expect(body).toContain('await toTools(')
  const program = `export default async (OpenAI, toTools, token) => {${body}\nreturn messages }`
  const { default: run } = (await import(`data:text/javascript,${encodeURIComponent(program)}`)) as {
    default: (
      model: typeof PlayedModel,
      tools: (options: object) => Promise<ModelTools>,
      token: string,
    ) => Promise<ModelMessage[]>
  }
  const tools = (options: object) => toTools({ ...options, fetch: through(service) })
  const messages = await run(PlayedModel, tools, TOKEN)
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.parse(content ?? '')] : []))
  expect(results[3].messages[0].code).toBe('confirmation_required')
  expect(results[4].status).toBe('completed')
  expect(messages.at(-1)?.content).toBe(`Bought: ${results[5].label}`)
  expect(service.supply.script.count('createOrder')).toBe(1)
})
