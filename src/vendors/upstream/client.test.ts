import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectFailure, expectValue } from '../../../test/contracts/adapter-kit.ts'
import { gateway, scriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import type { Fault, ScriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import { manualClock } from '../../kernel/clock.ts'
import { failed, succeeded } from '../result.ts'
import { upstreamClient } from './client.ts'
import type { CallRecord, Upstream, UpstreamOptions, UpstreamRequest } from './client.ts'
import type { FailureReason, SendPermit } from '../contract.ts'

const SECRET = 'never-show-this'
const TIMEOUT_MS = 150
const clock = manualClock(Date.parse('2026-09-10T08:00:00+08:00'))

const request = (method: 'GET' | 'POST' = 'GET', path = '/thing', permit?: SendPermit): UpstreamRequest => {
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
    ['a 404, which tells nothing about what is absent', gateway(404), 'unknown'],
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
  describe.each(['GET', 'POST'] as const)('%s', (method) => {
    test.each(faults)('%s', async (_name, fault, reason) => {
      server.fail({ fault })
      const answer = await line.call(request(method), succeeded)
      expectFailure(answer, reason, [SECRET, '127.0.0.1', 'secret-host', '<'])
      expect(server.received).toHaveLength(1)
    })
  })

  test('only a failure in a readable reply is documented: a gateway’s status is not', async () => {
    const own = await line.call(request('POST'), () => failed('unauthorized', 'app key disabled'))
    expect(own).toMatchObject({ ok: false, reason: 'unauthorized', documented: true })
    for (const fault of [gateway(401), gateway(403), gateway(502)]) {
      server.fail({ fault })
      expect(await line.call(request('POST'), succeeded)).not.toHaveProperty('documented')
    }
  })

  test('a reply beyond the bound is given up, not collected', async () => {
    server.fail({ fault: { kind: 'huge' } })
    const patient = open({ timeoutMs: 20_000 })
    const answer = await patient.call(request(), succeeded)
    expectFailure(answer, 'unknown')
    expect(answer).toMatchObject({ raw: 'too large' })
  })

  test.each(['GET', 'POST'] as const)('%s to a closed port is unsent', async (method) => {
    await server.goAway()
    expectFailure(await line.call(request(method), succeeded), 'unsent', ['127.0.0.1'])
  })

  test('a name that does not resolve is unsent', async () => {
    const lost = open({ url: 'http://no-such-host.invalid', timeoutMs: 5_000 })
    expectFailure(await lost.call(request('POST'), succeeded), 'unsent', ['no-such-host'])
  })

  test('a handshake that never ends is unsent: no request was written', async () => {
    const received: string[] = []
    const mute = createServer((socket) => void socket.on('data', (data) => void received.push(data.toString('latin1'))))
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const address = mute.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const secured = open({ url: `https://127.0.0.1:${port}` })
    expectFailure(await secured.call(request('POST'), succeeded), 'unsent')
    expect(received.join('')).not.toContain('POST')
    mute.close()
  })

  test('a handshake that fails is unsent', async () => {
    const secured = open({ url: server.url.replace('http:', 'https:') })
    expectFailure(await secured.call(request('POST'), succeeded), 'unsent')
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
    const answer = await line.call(request(), succeeded)
    expect(answer.ok ? 'answered' : answer.retryAfter).toBe(seconds)
  })

  test("the upstream's text is returned as one bounded line, without credentials or addresses", async () => {
    const words = `no\r\n\u001b[31m stock ${SECRET} at ${server.url} \u202e${'很'.repeat(500)}`
    const answer = await line.call(request(), () => failed('rejected', words, { raw: words }))
    expectFailure(answer, 'rejected', [SECRET, '127.0.0.1'])
    expect(answer).toMatchObject({ message: expect.stringMatching(/^no \[31m stock … at http:\/\/… 很+$/) })
  })

  test('the headers are made over the path as it is sent, with the prefix of the address', async () => {
    const prefixed = open({ url: `${server.url}/gateway/` })
    const signed: unknown[] = []
    await prefixed.call({ ...request('POST', '/a?b=%20c'), headers: (sent) => (signed.push(sent), {}) }, succeeded)
    expect(signed).toEqual([{ method: 'POST', pathWithQuery: '/gateway/a?b=%20c', body: '{"n":1}' }])
    expect(server.received[0]).toMatchObject({ path: '/gateway/a?b=%20c', body: '{"n":1}' })
  })

  test('reads share connections, a write has one of its own', async () => {
    await line.call(request('GET'), succeeded)
    await line.call(request('POST'), succeeded)
    expect(server.received.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close'])
  })

  test('no more calls run at once than the limit; the rest wait and are served', async () => {
    let running = 0
    let most = 0
    const narrow = open({ concurrency: 2, timeoutMs: 5_000 })
    const once = () =>
      narrow.call(
        { ...request(), headers: () => ((most = Math.max(most, (running += 1))), {}) },
        (json) => ((running -= 1), succeeded(json)),
      )
    const answers = await Promise.all(Array.from({ length: 10 }, once))
    expect(most).toBe(2)
    expect(answers.every((answer) => answer.ok)).toBe(true)
  })

  test('a call whose turn does not come in time is unsent', async () => {
    server.fail({ fault: { kind: 'silent' } })
    const narrow = open({ concurrency: 1 })
    const first = narrow.call(request('POST'), succeeded)
    const second = narrow.call(request('POST'), succeeded)
    const third = narrow.call(request('POST'), succeeded)
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
    const running = busy.call(request('POST', '/thing', permit), succeeded)
    const queued = [1, 2, 3].map(() => busy.call(request('POST', '/thing', permit), succeeded))
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
    const running = patient.call(request('POST'), succeeded)
    const waiting = patient.call(request('POST'), succeeded)
    while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stopping.abort()
    expectFailure(await running, 'unknown')
    expectFailure(await waiting, 'unsent')
    expectFailure(await patient.call(request('POST'), succeeded), 'unsent')
    expect(server.received).toHaveLength(1)
  })

  test('every attempt is observed, with how it ended', async () => {
    const seen: CallRecord[] = []
    const watched = open({ observe: (call) => void seen.push(call) })
    server.fail({ fault: gateway(503), times: 1 })
    await watched.call(request(), succeeded)
    expectValue(await watched.call(request(), succeeded))
    expect(seen).toMatchObject([
      { operation: 'thing', outcome: 'unknown', raw: 'HTTP 503' },
      { operation: 'thing', outcome: 'ok' },
    ])
  })
})
