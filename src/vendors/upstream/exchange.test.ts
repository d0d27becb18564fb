import { once } from 'node:events'
import { type RequestOptions, createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ScriptedUpstream, scriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import type { SendPermit } from '../contract.ts'
import { connections, httpExchange } from './exchange.ts'

type Connections = ReturnType<typeof connections>

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('one request and its reply', () => {
  let server: ScriptedUpstream
  let late: Connections
  beforeEach(async () => {
    server = await scriptedUpstream(() => ({ fine: true }))
    const { hostname, port } = new URL(server.url)
    // The connection comes, but late.
    const createConnection: NonNullable<RequestOptions['createConnection']> = (_options, done) => {
      setTimeout(() => done(null, connect(Number(port), hostname)), 60)
      return undefined
    }
    late = {
      isSecure: false,
      open: (options) => request({ hostname, port, ...options, createConnection }),
      close: () => {},
    }
  })
  afterEach(async () => {
    await server.close()
  })
  const post = (timeoutMs: number, signal?: AbortSignal) =>
    httpExchange(late, { path: '/orders', method: 'POST', body: '{}' }, { timeoutMs, responseBytes: 1_000, signal })

  test('given up before the connection stood: reported as not sent, and never sent afterwards', async () => {
    expect(await post(20)).toMatchObject({ isRequestWritten: false })
    await wait(120)
    expect(server.received).toHaveLength(0)
  })

  test('stopped before the connection stood: the same', async () => {
    const stopping = new AbortController()
    const permitAsked = post(5_000, stopping.signal)
    stopping.abort()
    expect(await permitAsked).toMatchObject({ isRequestWritten: false })
    await wait(120)
    expect(server.received).toHaveLength(0)
  })

  describe('with a permit', () => {
    const within = { timeoutMs: 300, responseBytes: 1_000 }
    const order = { path: '/orders', method: 'POST', body: '{}' }
    const denial = { code: 'kill_switch_engaged', message: 'the emergency stop is on' } as const

    test('it is asked once the connection is established, and the request is written when it is granted', async () => {
      let connected = false
      const opened: Connections = {
        ...late,
        open: (options) =>
          late.open(options).once('socket', (socket) => socket.once('connect', () => (connected = true))),
      }
      const permitAsked = vi.fn<SendPermit>(async (write) => {
        expect([connected, server.received.length]).toEqual([true, 0])
        await wait(20)
        expect(server.received).toHaveLength(0)
        write()
        return undefined
      })
      expect(await httpExchange(opened, order, within, permitAsked)).toMatchObject({ status: 200 })
      expect(permitAsked).toHaveBeenCalledTimes(1)
      expect(server.received).toHaveLength(1)
    })

    test('granting hands the whole request to the socket before the permit goes on', async () => {
      let socket: Socket | undefined
      const opened: Connections = { ...late, open: (options) => late.open(options).once('socket', (s) => (socket = s)) }
      const reply = await httpExchange(opened, order, within, async (write) => {
        write()
        expect(socket?.bytesWritten).toBeGreaterThan('POST /orders'.length)
        expect(socket?.writableLength).toBe(0)
        return undefined
      })
      expect(reply).toMatchObject({ status: 200 })
    })

    test('denied: not sent, with the reason', async () => {
      const reply = await httpExchange(late, order, within, () => Promise.resolve(denial))
      expect(reply).toMatchObject({ isRequestWritten: false, denial })
      await wait(50)
      expect(server.received).toHaveLength(0)
    })

    test('a permit that fails, or never answers: not sent', async () => {
      const failing = () => Promise.reject(new Error('no database'))
      expect(await httpExchange(late, order, within, failing)).toMatchObject({
        isRequestWritten: false,
        raw: 'no permit',
      })
      const unresponsive = () => new Promise<undefined>(() => {})
      expect(await httpExchange(late, order, within, unresponsive)).toMatchObject({
        isRequestWritten: false,
        raw: 'time-out',
      })
      expect(server.received).toHaveLength(0)
    })

    test('granted after the caller gave up: nothing is written any more', async () => {
      let write: (() => void) | undefined
      let reply: unknown
      // On a busy host the time may be up before the connection is established and the permit asked.
      while (!write)
        reply = await httpExchange(late, order, within, (request) => {
          write = request
          return new Promise(() => {})
        })
      write()
      await wait(50)
      expect([reply, server.received]).toMatchObject([{ isRequestWritten: false }, []])
    })

    test('written and denied at once: what was written counts as sent', async () => {
      const confused: SendPermit = (write) => (write(), Promise.resolve(denial))
      expect(await httpExchange(late, order, within, confused)).toMatchObject({ status: 200 })
    })
  })

  test('a connection that comes late but in time is used', async () => {
    expect(await post(5_000)).toMatchObject({ status: 200 })
    expect(server.received).toHaveLength(1)
  })
})

describe('connections', () => {
  const within = { timeoutMs: 1_000, responseBytes: 1_000 }
  const listening = async (server: Server): Promise<number> => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }

  test.each([
    { keepAlive: true, opened: 1 },
    { keepAlive: false, opened: 3 },
  ])('three requests with keepAlive $keepAlive open $opened', async ({ keepAlive, opened }) => {
    const server = createHttpServer((_incoming, outgoing) => void outgoing.end('{}'))
    let count = 0
    server.on('connection', () => (count += 1))
    const upstream = connections(new URL(`http://127.0.0.1:${await listening(server)}`), { keepAlive })
    for (let n = 0; n < 3; n++)
      expect(await httpExchange(upstream, { path: '/', method: 'GET' }, within)).toMatchObject({ status: 200 })
    expect(count).toBe(opened)
    upstream.close()
    server.close()
  })

  test('nothing of a request leaves before the connection is encrypted', async () => {
    const received: Buffer[] = []
    const server = createServer((socket) => void socket.on('data', (bytes: Buffer) => received.push(bytes)))
    const upstream = connections(new URL(`https://127.0.0.1:${await listening(server)}`), { keepAlive: false })
    const order = { path: '/orders', method: 'POST', body: '{"order":1}' }
    expect(await httpExchange(upstream, order, { ...within, timeoutMs: 100 })).toMatchObject({
      isRequestWritten: false,
    })
    // A greeting of TLS came, and no more than that.
    expect(Buffer.concat(received)[0]).toBe(0x16)
    expect(Buffer.concat(received).includes('orders')).toBe(false)
    upstream.close()
    server.close()
  })

  test('a request that cannot be written is not sent', async () => {
    const upstream = connections(new URL('http://127.0.0.1:9'), { keepAlive: false })
    expect(await httpExchange(upstream, { path: '/a b', method: 'GET' }, within)).toMatchObject({
      isRequestWritten: false,
    })
  })

  test('an upstream that changes the protocol broke the exchange', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      )
    })
    const upstream = connections(new URL(`http://127.0.0.1:${await listening(server)}`), { keepAlive: true })
    expect(await httpExchange(upstream, { path: '/', method: 'GET' }, within)).toMatchObject({ isRequestWritten: true })
    upstream.close()
    server.close()
  })
})
