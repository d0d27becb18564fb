import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { denied, expectFailure, expectPermitAsked, expectValue } from '../../../test/contracts/adapter-kit.ts'
import { gateway, scriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import type { Fault, ScriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import { manualClock } from '../../kernel/clock.ts'
import { fail, succeed } from '../result.ts'
import { type CallRecord, type UpstreamOptions, type UpstreamRequest, upstreamClient } from './client.ts'
import type { FailureReason, SendPermit } from '../contract.ts'

type Upstream = ReturnType<typeof upstreamClient>

const SECRET = 'never-show-this'
const TIMEOUT_MS = 150
const clock = manualClock(Date.parse('2026-09-10T08:00:00+08:00'))

type Method = UpstreamRequest['method']
const WRITES = ['POST', 'PUT', 'DELETE'] as const

const request = (method: Method = 'GET', path = '/thing', permit?: SendPermit): UpstreamRequest => {
  const parts = { operation: 'thing', path, headers: () => ({ 'x-secret': SECRET }) }
  return method === 'GET' ? { ...parts, method } : { ...parts, method, body: { n: 1 }, permit }
}

describe('one call to an upstream', () => {
  let server: ScriptedUpstream
  let line: Upstream
  const lines: Upstream[] = []
  const open = (over: Partial<UpstreamOptions> = {}): Upstream => {
    const opened = upstreamClient({ url: server.url, timeoutMs: TIMEOUT_MS, clock, secrets: () => [SECRET], ...over })
    lines.push(opened)
    return opened
  }
  beforeEach(async () => {
    server = await scriptedUpstream(() => ({ fine: true }))
    line = open()
  })
  afterEach(async () => {
    await Promise.all(lines.splice(0).map((opened) => opened.close()))
    await server.close()
  })

  const faults: readonly [string, Fault, FailureReason][] = [
    ['a gateway page with 502', gateway(502), 'unknown'],
    ['a gateway page with 503', gateway(503), 'unknown'],
    ['a gateway page with 504', gateway(504), 'unknown'],
    ['an empty 502', { kind: 'status', status: 502 }, 'unknown'],
    ['a gateway page with 429', gateway(429), 'limited'],
    ['a gateway that refuses us with 401', gateway(401), 'unauthorized'],
    ['a gateway that refuses us with 403', gateway(403), 'unauthorized'],
    ['a 404, which does not mean that something is absent', gateway(404), 'unknown'],
    ['a redirect, which is not followed', gateway(302), 'unknown'],
    ['HTML with status 200', { kind: 'text', text: '<html></html>' }, 'unknown'],
    ['an empty reply', { kind: 'text', text: '' }, 'unknown'],
    ['JSON cut in the middle', { kind: 'text', text: '{"fine": tr' }, 'unknown'],
    ['bytes that are not UTF-8', { kind: 'text', text: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, 'unknown'],
    ['a body shorter than announced', { kind: 'truncated' }, 'unknown'],
    ['a line cut before the last chunk', { kind: 'unterminated' }, 'unknown'],
    ['no headers in time', { kind: 'silent' }, 'unknown'],
    ['a body that trickles in for ever', { kind: 'trickling' }, 'unknown'],
    ['a dropped connection', { kind: 'dropped' }, 'unknown'],
  ]
  describe.each(['GET', ...WRITES] as const)('%s', (method) => {
    test.each(faults)('%s', async (_name, fault, reason) => {
      server.fail({ fault })
      const answer = await line.call(request(method), succeed)
      expectFailure(answer, reason, [SECRET, '127.0.0.1', 'secret-host', '<'])
      expect(server.received).toHaveLength(1)
    })
  })

  test('only a failure in a readable reply is documented: a gateway’s status is not', async () => {
    const own = await line.call(request('POST'), () => fail('unauthorized', 'app key disabled'))
    expect(own).toMatchObject({ ok: false, reason: 'unauthorized', documented: true })
    for (const fault of [gateway(401), gateway(403), gateway(502)]) {
      server.fail({ fault })
      expect(await line.call(request('POST'), succeed)).not.toHaveProperty('documented')
    }
  })

  test('a reply beyond the bound is given up, not collected', async () => {
    server.fail({ fault: { kind: 'huge' } })
    const patient = open({ timeoutMs: 20_000 })
    const answer = await patient.call(request(), succeed)
    expectFailure(answer, 'unknown')
    expect(answer).toMatchObject({ raw: 'too large' })
  })

  test.each(['GET', ...WRITES] as const)('%s to a closed port is unsent', async (method) => {
    await server.goAway()
    expectFailure(await line.call(request(method), succeed), 'unsent', ['127.0.0.1'])
  })

  test('a name that does not resolve is unsent', async () => {
    const lost = open({ url: 'http://no-such-host.invalid', timeoutMs: 5_000 })
    expectFailure(await lost.call(request('POST'), succeed), 'unsent', ['no-such-host'])
  })

  test('a handshake that never ends is unsent: no request was written', async () => {
    const received: string[] = []
    const mute = createServer((socket) => void socket.on('data', (data) => void received.push(data.toString('latin1'))))
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const address = mute.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const secured = open({ url: `https://127.0.0.1:${port}` })
    expectFailure(await secured.call(request('POST'), succeed), 'unsent')
    expect(received.join('')).not.toContain('POST')
    mute.close()
  })

  test('a handshake that fails is unsent', async () => {
    const secured = open({ url: server.url.replace('http:', 'https:') })
    expectFailure(await secured.call(request('POST'), succeed), 'unsent')
    expect(server.received).toHaveLength(0)
  })

  test('2.9 what reading throws is an unreadable reply, not an exception', async () => {
    const answer = await line.call(request(), () => {
      throw new TypeError('no such field')
    })
    expectFailure(answer, 'unknown')
  })

  test.each([
    ['7', 7],
    [new Date(clock.now() + 30_000).toUTCString(), 30],
    ['999999', 3600],
    ['soon', undefined],
    ['-5', undefined],
  ])('Retry-After %s means %s seconds', async (header, seconds) => {
    server.fail({ fault: gateway(429, header) })
    const answer = await line.call(request(), succeed)
    expect(answer.ok ? 'answered' : answer.retryAfter).toBe(seconds)
  })

  test("the upstream's text is returned as one bounded line, without credentials or addresses", async () => {
    const words = `no\r\n\u001b[31m stock ${SECRET} at ${server.url} \u202e${'很'.repeat(500)}`
    const answer = await line.call(request(), () => fail('rejected', words, { raw: words }))
    expectFailure(answer, 'rejected', [SECRET, '127.0.0.1'])
    expect(answer).toMatchObject({ message: expect.stringMatching(/^no \[31m stock … at http:\/\/… 很+$/) })
  })

  test('the headers are made over the path as it is sent, with the prefix of the address', async () => {
    const prefixed = open({ url: `${server.url}/gateway/` })
    const signed: unknown[] = []
    await prefixed.call({ ...request('POST', '/a?b=%20c'), headers: (sent) => (signed.push(sent), {}) }, succeed)
    expect(signed).toEqual([{ method: 'POST', pathWithQuery: '/gateway/a?b=%20c', body: '{"n":1}' }])
    expect(server.received[0]).toMatchObject({ path: '/gateway/a?b=%20c', body: '{"n":1}' })
  })

  test('reads share connections, a write has one of its own', async () => {
    for (const method of ['GET', ...WRITES] as const) await line.call(request(method), succeed)
    expect(server.received.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close', 'close', 'close'])
  })

  test.each(WRITES)('%s arrives with its method and body, once', async (method) => {
    expectValue(await line.call(request(method), succeed))
    expect(server.received).toMatchObject([{ method, path: '/thing', body: '{"n":1}' }])
    expect(server.received[0]?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '7',
    })
  })

  test.each(WRITES)('%s without a body sends none', async (method) => {
    expectValue(await line.call({ ...request(method), body: undefined }, succeed))
    expect(server.received[0]?.headers).not.toHaveProperty('content-type')
    expect(server.received[0]?.body).toBe('')
  })

  test.each(WRITES)('%s asks its permit and sends nothing without it', async (method) => {
    await expectPermitAsked({ writesReceived: () => server.received.length }, (permit) =>
      open({ timeoutMs: 5_000 }).call(request(method, '/thing', permit), succeed),
    )
    server.received.length = 0
    const answer = await line.call(request(method, '/thing', denied), succeed)
    expectFailure(answer, 'unsent')
    expect(answer).toMatchObject({ denied: 'kill_switch_engaged' })
    expect(server.received).toEqual([])
  })

  describe('a documented refusal', () => {
    const refusal = (status: number, body?: string): Fault => ({
      kind: 'status',
      status,
      ...(body !== undefined && { body }),
    })
    const readRefusal: UpstreamRequest['readRefusal'] = (status, body) => {
      const { error } = (body ?? {}) as { error?: string }
      if (error !== undefined) return fail('rejected', error)
      return status === 404 ? fail('absent', 'no such order') : undefined
    }
    const send = (fault: Fault, over: Partial<UpstreamRequest> = {}) => {
      server.heal()
      server.fail({ fault })
      return line.call({ ...request('POST'), readRefusal, ...over } as UpstreamRequest, succeed)
    }

    test.each([400, 402, 409, 422])('%i with the vendor’s body is what the adapter says', async (status) => {
      const answer = await send(refusal(status, '{"error":"out of stock"}'))
      expectFailure(answer, 'rejected')
      expect(answer).toMatchObject({ documented: true, message: 'out of stock', raw: `HTTP ${status}` })
    })

    test('without a body, or with the page of a gateway, only the status is left; that is not documented', async () => {
      for (const body of ['', '<html></html>', '{"error": tru']) {
        const absent = await send(refusal(404, body))
        expectFailure(absent, 'absent')
        expect(absent).not.toHaveProperty('documented')
        expectFailure(await send(refusal(409, body)), 'unknown')
      }
    })

    test('what it does not decide is decided by the status, as without it', async () => {
      const REASONS = { 401: 'unauthorized', 403: 'unauthorized', 409: 'unknown', 429: 'limited' } as const
      for (const [status, reason] of Object.entries(REASONS)) {
        expectFailure(await send(refusal(Number(status), '{"other":1}')), reason)
      }
    })

    test('a 5xx, a redirect and a success are never asked about', async () => {
      for (const status of [500, 502, 302]) {
        expectFailure(await send(refusal(status, '{"error":"declined"}')), 'unknown')
      }
      server.heal()
      expectValue(await line.call({ ...request('POST'), readRefusal: () => fail('rejected', 'no') }, succeed))
    })

    test('what it throws is an unreadable reply, and its text holds no secret', async () => {
      const throwing = () => {
        throw new TypeError('no such field')
      }
      expectFailure(await send(refusal(400, '{}'), { readRefusal: throwing }), 'unknown')
      expectFailure(await send(refusal(400, `{"error":"key ${SECRET} is wrong"}`)), 'rejected', [SECRET])
    })

    test('Retry-After of the reply is kept', async () => {
      const fault: Fault = { kind: 'status', status: 409, body: '{"error":"busy"}', retryAfter: '7' }
      expect(await send(fault)).toMatchObject({ reason: 'rejected', retryAfter: 7 })
    })
  })

  test('a success without a body is read where the caller allows it, and unreadable elsewhere', async () => {
    for (const fault of [
      { kind: 'status', status: 204 },
      { kind: 'text', text: '' },
    ] as const) {
      server.fail({ fault })
      const seen: unknown[] = []
      const read = (body: unknown) => (seen.push(body), succeed('done'))
      expectValue(await line.call({ ...request('PUT'), mayBeEmpty: true }, read))
      expectValue(await line.callForText({ ...request('PUT'), mayBeEmpty: true }, read))
      expect(seen).toEqual([undefined, ''])
      expectFailure(await line.call(request('PUT'), read), 'unknown')
      expectFailure(await line.callForText(request('PUT'), read), 'unknown')
      server.heal()
    }
  })

  describe('text', () => {
    const xml = '<Order id="1">Grün</Order>'
    const order = (over: object = {}): UpstreamRequest => ({
      ...request('POST'),
      body: xml,
      contentType: 'text/xml; charset=utf-8',
      ...over,
    })

    test('is sent as it is, with its content type and length', async () => {
      expectValue(await line.callForText(order(), succeed))
      expect(server.received[0]).toMatchObject({ body: xml })
      expect(server.received[0]?.headers).toMatchObject({
        'content-type': 'text/xml; charset=utf-8',
        'content-length': String(Buffer.byteLength(xml)),
        accept: '*/*',
      })
    })

    test.each([
      ['utf-8', Buffer.from(xml), undefined],
      ['the charset that the reply names', Buffer.from(xml, 'latin1'), 'text/xml; charset="ISO-8859-1"'],
      ['utf-8 with a mark at the start', Buffer.from(`\ufeff${xml}`), 'application/xml'],
    ])('is read as %s', async (_name, bytes, type) => {
      server.fail({ fault: { kind: 'text', text: bytes, ...(type !== undefined && { type }) } })
      expect(expectValue(await line.callForText(order(), succeed))).toBe(xml)
    })

    test.each([
      ['bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd]), 'text/xml'],
      ['an unknown charset', Buffer.from(xml), 'text/xml; charset=klingon'],
    ])('%s is unknown', async (_name, bytes, type) => {
      server.fail({ fault: { kind: 'text', text: bytes, type } })
      expectFailure(await line.callForText(order(), succeed), 'unknown')
    })

    test('a refusal is decided over the text, and the limits hold', async () => {
      server.fail({ fault: { kind: 'status', status: 406, body: '<Status code="406"/>' } })
      const readRefusal = (_status: number, body: unknown) =>
        String(body).includes('406') ? fail('rejected', 'not acceptable') : undefined
      expectFailure(await line.callForText(order({ readRefusal }), succeed), 'rejected')
      server.heal()
      server.fail({ fault: { kind: 'huge' } })
      expect(await open({ timeoutMs: 20_000 }).callForText(order(), succeed)).toMatchObject({ raw: 'too large' })
    })
  })

  test('no more calls run at once than the limit; the rest wait and are served', async () => {
    let running = 0
    let most = 0
    const narrow = open({ concurrency: 2, timeoutMs: 5_000 })
    const once = () =>
      narrow.call(
        { ...request(), headers: () => ((most = Math.max(most, (running += 1))), {}) },
        (json) => ((running -= 1), succeed(json)),
      )
    const answers = await Promise.all(Array.from({ length: 10 }, once))
    expect(most).toBe(2)
    expect(answers.every((answer) => answer.ok)).toBe(true)
  })

  test('a call whose turn does not come in time is unsent', async () => {
    server.fail({ fault: { kind: 'silent' } })
    const narrow = open({ concurrency: 1 })
    const first = narrow.call(request('POST'), succeed)
    const second = narrow.call(request('POST'), succeed)
    const third = narrow.call(request('POST'), succeed)
    expectFailure(await first, 'unknown')
    await Promise.all([second, third])
    expect(server.received.length).toBeLessThan(3)
    expectFailure(await third, 'unsent')
  })

  test('a write that waits for its turn is called off as soon as its permit is denied, not when its turn comes', async () => {
    server.fail({ fault: { kind: 'silent' } })
    let isStopped = false
    const permit: SendPermit = async (write) => {
      if (isStopped) return { code: 'kill_switch_engaged', message: 'the emergency stop is on' }
      write()
      return undefined
    }
    const stopping = new AbortController()
    const busy = open({ concurrency: 1, timeoutMs: 20_000, signal: stopping.signal })
    const running = busy.call(request('POST', '/thing', permit), succeed)
    const queued = [1, 2, 3].map(() => busy.call(request('POST', '/thing', permit), succeed))
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    isStopped = true
    for (const answer of await Promise.all(queued)) {
      expectFailure(answer, 'unsent')
      expect(answer).toMatchObject({ denied: 'kill_switch_engaged' })
    }
    expect(server.received).toHaveLength(1)
    stopping.abort()
    expectFailure(await running, 'unknown')
  })

  test('stopping cuts what runs as unknown and turns away what was not sent', async () => {
    const stopping = new AbortController()
    const patient = open({ timeoutMs: 20_000, concurrency: 1, signal: stopping.signal })
    server.fail({ fault: { kind: 'silent' } })
    const running = patient.call(request('POST'), succeed)
    const waiting = patient.call(request('POST'), succeed)
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stopping.abort()
    expectFailure(await running, 'unknown')
    expectFailure(await waiting, 'unsent')
    expectFailure(await patient.call(request('POST'), succeed), 'unsent')
    expect(server.received).toHaveLength(1)
  })

  test('every attempt is observed, with how it ended', async () => {
    const seen: CallRecord[] = []
    const watched = open({ observe: (call) => void seen.push(call) })
    server.fail({ fault: gateway(503), times: 1 })
    await watched.call(request(), succeed)
    expectValue(await watched.call(request(), succeed))
    expect(seen).toMatchObject([
      { operation: 'thing', outcome: 'unknown', raw: 'HTTP 503' },
      { operation: 'thing', outcome: 'ok' },
    ])
  })
})
