/** `toTools()`: the service as tools of a chat-completion API, with a model that is played here. */
import { expect, test } from 'vitest'
import { createClient, toTools, VendopsError } from '../../src/client/index.ts'
import { startService, TOKEN } from '../support/service.ts'
import type { Service } from '../support/service.ts'

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
