import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import type { Store } from '../../src/store/store.ts'
import { startService, TOKEN } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const event = (summary: string) => ({ kind: 'note', summary, reasoning: '' })

/** The service listening on a real port. */
async function listening(store?: Store) {
  const service = await startService(store ? { store } : {})
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  return { service, url: `ws://127.0.0.1:${port}/ucp/v1/events/stream`, port }
}

interface Listener {
  readonly socket: WebSocket
  readonly messages: { type: string; events?: { summary: string }[]; event?: { summary: string } }[]
}

async function listen(
  url: string,
  headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
): Promise<Listener> {
  const socket = new WebSocket(url, { headers })
  const messages: Listener['messages'] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return { socket, messages }
}

const until = async (done: () => boolean): Promise<void> => {
  await expect.poll(done, { interval: 10 }).toBe(true)
}

const post = (service: Service, summary: string) => service.post('/events', event(summary))

describe('4.9 the WebSocket', () => {
  test('the first message is event-history with the newest 50, then one event message per new event', async () => {
    const { service, url } = await listening()
    for (let i = 0; i < 55; i++) await post(service, `old ${i}`)
    const client = await listen(url)
    await until(() => client.messages.length > 0)
    expect(client.messages[0]?.type).toBe('event-history')
    expect(client.messages[0]?.events).toHaveLength(50)
    expect(client.messages[0]?.events?.[0]?.summary).toBe('old 54')
    await post(service, 'new 1')
    await post(service, 'new 2')
    await until(() => client.messages.length === 3)
    const by = { source: 'caller', author: 'operator' }
    expect([client.messages[0]?.events?.[0], client.messages[1]?.event], '6.4 both say who wrote it').toMatchObject([
      by,
      by,
    ])
    expect(client.messages.slice(1).map(({ type, event }) => [type, event?.summary])).toEqual([
      ['event', 'new 1'],
      ['event', 'new 2'],
    ])
  })

  test('who listens, and from where, is logged when it begins and ends', async () => {
    const { service, url } = await listening()
    const { socket } = await listen(url)
    const linesOf = (sentence: string) => service.log.filter((line) => line.sentence === sentence)
    await until(() => linesOf('event stream opened').length === 1)
    socket.close()
    await until(() => linesOf('event stream closed').length === 1)
    const listener = { by: 'operator', address: '127.0.0.1' }
    expect(linesOf('event stream opened')[0]?.fields).toMatchObject(listener)
    expect(linesOf('event stream closed')[0]?.fields).toMatchObject(listener)
  })

  test('it needs the token, by header or cookie, and a foreign page may not listen with the cookie', async () => {
    const { url } = await listening()
    await expect(listen(url, {})).rejects.toThrow('401')
    await expect(listen(url, { authorization: 'Bearer wrong' })).rejects.toThrow('401')
    const cookie = { cookie: `service_auth=${TOKEN}` }
    const own = await listen(url, { ...cookie, origin: 'https://vending.example.com' })
    await until(() => own.messages.length === 1)
    const noBrowser = await listen(url, cookie)
    await until(() => noBrowser.messages.length === 1)
    const foreign = await listen(url, { ...cookie, origin: 'https://evil.example' })
    const closed = await new Promise<number>((resolve) => foreign.socket.once('close', resolve))
    expect(closed).toBe(1008)
    expect(foreign.messages).toEqual([])
  })

  test('signing out closes the sockets of that session, on every instance, and no others', async () => {
    const one = await listening()
    const two = await listening(one.service.ctx.store)
    const signIn = async () => {
      const answer = await one.service.post('//signin', { token: TOKEN }, { token: null })
      return { cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' }
    }
    const [mine, others] = [await signIn(), await signIn()]
    const ending = [await listen(one.url, mine), await listen(two.url, mine)]
    const staying = [await listen(one.url, others), await listen(two.url)]
    await until(() => [...ending, ...staying].every(({ messages }) => messages.length === 1))
    const closed = ending.map(({ socket }) => new Promise<number>((resolve) => socket.once('close', resolve)))
    await two.service.post('//signout', undefined, { token: null, headers: mine })
    expect(await Promise.all(closed)).toEqual([1008, 1008])
    await post(one.service, 'after')
    await until(() => staying.every(({ messages }) => messages.length === 2))
    expect(ending.map(({ messages }) => messages.length)).toEqual([1, 1])
    await expect(listen(one.url, mine)).rejects.toThrow('401')
  })

  test('without an upgrade the path says that it is a WebSocket, in the envelope', async () => {
    const { service } = await listening()
    const { status, headers, body } = await service.get('/events/stream')
    expect([status, headers['upgrade'], body.messages[0].code]).toEqual([426, 'websocket', 'invalid'])
    expect((await service.get('/events/stream', { token: null })).status).toBe(401)
  })

  test('clients are notified when the service stops', async () => {
    const { service, url } = await listening()
    const client = await listen(url)
    await until(() => client.messages.length === 1)
    const closed = new Promise<number>((resolve) => client.socket.once('close', resolve))
    await service.server.close()
    expect(await closed).toBe(1001)
  })

  test('a client that does not drain is dropped, and the others do not wait for it', async () => {
    const { service, url, port } = await listening()
    const good = await listen(url)
    const slow = connect(port, '127.0.0.1')
    onTestFinished(() => void slow.destroy())
    slow.on('error', () => {})
    slow.write(
      `GET /ucp/v1/events/stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    )
    await new Promise((resolve) => slow.once('data', resolve))
    slow.pause()
    const big = { ...event('big'), reasoning: 'x'.repeat(7900) }
    const rows = Array.from({ length: 100 }, () => ({ stored_at: 1, occurred_at: 1, ...big, location: null }))
    for (let i = 0; i < 15; i++) await service.ctx.store.db.insertInto('event').values(rows).execute()
    await post(service, 'last')
    await until(() => good.messages.at(-1)?.event?.summary === 'last')
    const gone = new Promise((resolve) => slow.once('close', resolve))
    slow.resume()
    await gone
  })

  test('1,000 clients of one process all receive an event', async () => {
    const { service, url } = await listening()
    const clients: Listener[] = []
    // Not all at once: a system queues a few hundred new connections at most and refuses the rest.
    while (clients.length < 1000) clients.push(...(await Promise.all(Array.from({ length: 100 }, () => listen(url)))))
    await until(() => clients.every(({ messages }) => messages.length === 1))
    await post(service, 'to all')
    await until(() => clients.every(({ messages }) => messages.length === 2))
    expect(clients.every(({ messages }) => messages[1]?.event?.summary === 'to all')).toBe(true)
  })
})
