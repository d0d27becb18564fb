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
