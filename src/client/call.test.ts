import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { type Client, type Entry, createClient, VendopsError } from './index.ts'
import type { Checkout } from '../contract/shapes/checkout.ts'
import type { Order } from '../contract/shapes/order.ts'

interface Sent {
  readonly url: string
  readonly method: string | undefined
  readonly headers: Record<string, string>
  readonly body: unknown
}

const SUCCESS = { ucp: { version: '2026-08-25', status: 'success' } }
const refusal = (code: string, content = `message of ${code}`) => ({
  ucp: { version: '2026-08-25', status: 'error' },
  messages: [{ type: 'error', code, content, severity: 'recoverable' }],
})

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'request-id': 'r-1', ...headers } })

/** Responds in order; an Error is a broken connection. */
function scripted(...steps: (Response | Error)[]) {
  const sent: Sent[] = []
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    sent.push({
      url: String(url),
      method: init.method,
      headers: init.headers as Record<string, string>,
      body: init.body === undefined ? undefined : JSON.parse(init.body as string),
    })
    const step = steps.shift()
    if (step === undefined) throw new Error('the script is over')
    if (step instanceof Error) throw step
    return step
  }
  const client = createClient({ baseUrl: 'http://host:1/', token: 'secret', fetch })
  return { client, sent }
}

const caught = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it should have been refused'),
    (error: unknown) => error as VendopsError,
  )

/** Waits are real in the client; a test does not sit through them. */
async function hurried<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const done = work()
    done.catch(() => {})
    await vi.runAllTimersAsync()
    return await done
  } finally {
    vi.useRealTimers()
  }
}

describe('a request', () => {
  test('has the path, query, body and credentials of its operation', async () => {
    const { client, sent } = scripted(json(200, SUCCESS), json(200, SUCCESS), json(200, SUCCESS))
    await client.getSku({ params: { sku_id: 'acme-supply:SP/1 ü' }, query: { location: 'M1001' } })
    await client.listOrders({ query: { kind: 'purchase', limit: 5, cursor: undefined } })
    await client.searchLocations()
    expect(sent.map(({ url, method, body }) => [method, url, body])).toEqual([
      ['GET', 'http://host:1/ucp/v1/skus/acme-supply%3ASP%2F1%20%C3%BC?location=M1001', undefined],
      ['GET', 'http://host:1/ucp/v1/orders?kind=purchase&limit=5', undefined],
      ['POST', 'http://host:1/ucp/v1/locations/search', {}],
    ])
    expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'user-agent': 'vendops-client' })
    expect(sent[2]?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(sent[2]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('that writes has a new idempotency key unless one is given', async () => {
    const { client, sent } = scripted(json(200, SUCCESS), json(200, SUCCESS), json(200, SUCCESS))
    await client.createRun()
    await client.createRun()
    await client.placeRun({ params: { id: 'run-1' }, idempotencyKey: 'mine' })
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).not.toBe(keys[0])
    expect(keys[2]).toBe('mine')
    expect(sent[2]?.body).toBeUndefined()
  })

  test('has the types of the contract', () => {
    expectTypeOf<Client['getCheckout']>().returns.resolves.toEqualTypeOf<Checkout>()
    expectTypeOf<Entry<'listOrders'>>().toEqualTypeOf<Order>()
    expectTypeOf<Client['getCheckout']>().parameter(0).toHaveProperty('params')
    expectTypeOf<Parameters<Client['createRun']>['length']>().toEqualTypeOf<0 | 1>()
    expectTypeOf<Parameters<Client['getRun']>['length']>().toEqualTypeOf<1>()
    expectTypeOf<keyof Client['pages']>().toEqualTypeOf<
      | 'searchCatalog'
      | 'searchLocations'
      | 'listCheckouts'
      | 'listNotes'
      | 'listOrders'
      | 'getPlan'
      | 'getProfit'
      | 'getSwaps'
      | 'listRuns'
      | 'getTranscript'
      | 'listShifts'
      | 'listApprovals'
      | 'listConnections'
      | 'listEvents'
      | 'listPacks'
      | 'listPeople'
      | 'listPlatformLocations'
      | 'listRuleChanges'
      | 'getCash'
      | 'getStoreroom'
      | 'listStoreroomMovements'
    >()
  })
})

describe('a refusal', () => {
  test('is an error with code, status, messages, retry time and request id', async () => {
    const { client } = scripted(json(404, refusal('not_found', 'no checkout x')))
    const error = await caught(client.getCheckout({ params: { id: 'x' } }))
    expect(error).toBeInstanceOf(VendopsError)
    expect(error).toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'no checkout x',
      requestId: 'r-1',
      operation: 'getCheckout',
    })
    expect(error.messages).toHaveLength(1)
  })

  test('can have status 200', async () => {
    const { client } = scripted(json(200, refusal('item_unavailable')))
    const error = await caught(client.createCheckout({ body: { line_items: [] } }))
    expect(error).toMatchObject({ status: 200, code: 'item_unavailable' })
  })

  test('that is not from the service is unreadable, and its content is not shown', async () => {
    const { client } = scripted(new Response('<html>secret gateway page</html>', { status: 403 }))
    const error = await caught(client.getPlan())
    expect(error).toMatchObject({ status: 403, code: 'unreadable' })
    expect(error.message).not.toContain('gateway')
  })
})

describe('retries', () => {
  test('a read is retried after a broken connection, 503 and 429, and respects Retry-After', async () => {
    const { client, sent } = scripted(
      new TypeError('fetch failed'),
      json(503, refusal('service_unavailable')),
      json(429, refusal('rate_limited'), { 'retry-after': '2' }),
      json(200, SUCCESS),
    )
    await hurried(() => client.getPlan())
    expect(sent).toHaveLength(4)
  })

  test('rules that cannot be read are reported at once: waiting does not make them readable', async () => {
    const { client, sent } = scripted(json(503, refusal('guard_unverifiable'), { 'retry-after': '30' }))
    expect((await caught(client.getGuardrails())).code).toBe('guard_unverifiable')
    expect(sent).toHaveLength(1)
  })

  test('a write is retried only without a response of the service, with the same key', async () => {
    const { client, sent } = scripted(
      new TypeError('fetch failed'),
      new Response('', { status: 504 }),
      json(200, SUCCESS),
    )
    await hurried(() => client.completeCheckout({ params: { id: 'po_1' }, body: { confirm: true } }))
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(sent).toHaveLength(3)
  })

  test.each([
    [502, 'supplier_rejected', {}],
    [502, 'upstream_unreachable', { 'retry-after': '1' }],
    [503, 'guard_unverifiable', { 'retry-after': '1' }],
    [409, 'kill_switch_engaged', {}],
    [409, 'idempotency_mismatch', {}],
    [500, 'internal', {}],
  ])('a write with response %i %s is not retried', async (status, code, headers) => {
    const { client, sent } = scripted(json(status, refusal(code), headers))
    const error = await caught(client.completeCheckout({ params: { id: 'po_1' }, body: { confirm: true } }))
    expect(error.code).toBe(code)
    expect(sent).toHaveLength(1)
  })

  test('a write that still runs, has an unknown outcome or is rate limited is retried with its key', async () => {
    const { client, sent } = scripted(
      json(409, refusal('idempotency_in_progress'), { 'retry-after': '5' }),
      json(503, refusal('service_unavailable'), { 'retry-after': '5' }),
      json(429, refusal('rate_limited'), { 'retry-after': '1' }),
      json(200, SUCCESS),
    )
    await hurried(() => client.createRun())
    expect(sent).toHaveLength(4)
  })

  test('signing in is not retried', async () => {
    const { client, sent } = scripted(new TypeError('fetch failed'))
    expect(await caught(client.signIn({ body: { token: 'x' } }))).toMatchObject({ code: 'unreachable', status: 0 })
    expect(sent).toHaveLength(1)
  })

  test('after the last attempt the last failure is thrown', async () => {
    const { client, sent } = scripted(...Array.from({ length: 9 }, () => new TypeError('fetch failed')))
    const error = await hurried(() => caught(client.getPlan()))
    expect(error).toMatchObject({ code: 'unreachable', status: 0, isUnanswered: true })
    expect(sent).toHaveLength(4)
  })

  test('a long Retry-After is reported instead of waited for', async () => {
    const { client, sent } = scripted(json(429, refusal('rate_limited'), { 'retry-after': '3600' }))
    expect(await caught(client.getPlan())).toMatchObject({ code: 'rate_limited', retryAfter: 3600 })
    expect(sent).toHaveLength(1)
  })

  test('the caller can abort it, also while it waits', async () => {
    const { client, sent } = scripted(json(429, refusal('rate_limited'), { 'retry-after': '20' }), json(200, SUCCESS))
    const controller = new AbortController()
    const work = client.getPlan({ signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 5)
    await expect(work).rejects.toThrow('enough')
    expect(sent).toHaveLength(1)
  })

  test('an attempt that takes too long is a time-out', async () => {
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    const client = createClient({ fetch, attempts: 1, timeoutMs: 5 })
    expect(await caught(client.getPlan())).toMatchObject({ code: 'timeout', status: 0 })
  })
})

describe('paging', () => {
  const page = (entries: object, cursor?: string) =>
    json(200, {
      ...SUCCESS,
      ...entries,
      pagination: { has_next_page: cursor !== undefined, ...(cursor ? { cursor } : {}) },
    })

  test('passes the cursor in the query', async () => {
    const { client, sent } = scripted(
      page({ orders: [{ id: 'a' }, { id: 'b' }] }, 'next'),
      page({ orders: [{ id: 'c' }] }),
    )
    const ids: string[] = []
    for await (const order of client.all.listOrders({ query: { kind: 'sale' } })) ids.push(order.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(sent.map(({ url }) => url)).toEqual([
      'http://host:1/ucp/v1/orders?kind=sale',
      'http://host:1/ucp/v1/orders?kind=sale&cursor=next',
    ])
  })

  test('passes the cursor in the body and keeps the rest of it', async () => {
    const { client, sent } = scripted(page({ products: [] }, 'next'), page({ products: [] }))
    const request = { body: { query: '水', pagination: { limit: 2 } } }
    for await (const _page of client.pages.searchCatalog(request));
    expect(sent[1]?.body).toEqual({ query: '水', pagination: { limit: 2, cursor: 'next' } })
  })

  test('requests only the pages that are read, and stops at a repeated cursor', async () => {
    const first = scripted(page({ runs: [{ id: 'a' }] }, 'next'))
    for await (const run of first.client.all.listRuns()) if (run.id === 'a') break
    expect(first.sent).toHaveLength(1)
    const circle = scripted(page({ runs: [] }, 'x'), page({ runs: [] }, 'x'))
    const walk = async () => {
      for await (const _page of circle.client.pages.listRuns());
    }
    await expect(walk()).rejects.toThrow('twice')
  })
})
