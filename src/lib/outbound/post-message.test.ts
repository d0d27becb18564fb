import type { lookup as dnsLookup } from 'node:dns'
import { type RequestListener, createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postMessage } from './post-message.ts'

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`
}
const LIMITS = { timeoutMs: 400, replyBytes: 1000, mayBeLocal: true }
const send = (url: string, more: object = {}) =>
  postMessage({ url, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }, { ...LIMITS, ...more })

describe('one message to a receiver', () => {
  test('is sent as it is, and the reply is read', async () => {
    const url = await receiver((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => response.end(`${request.method} ${request.url} ${Buffer.concat(parts).toString()}`))
    })
    const reply = await send(url)
    expect('body' in reply && reply.body.toString()).toBe('POST /hook?a=1 {}')
  })

  test('a redirect is not followed', async () => {
    let calls = 0
    const url = await receiver((_request, response) => {
      calls += 1
      response.writeHead(302, { location: '/hook' }).end()
    })
    expect(await send(url)).toMatchObject({ status: 302 })
    expect(calls).toBe(1)
  })

  test('an endless reply is cut off at the limit, and its status counts', async () => {
    let written = 0
    const url = await receiver((_request, response) => {
      const more = () => {
        written += 65_536
        if (response.write(Buffer.alloc(65_536)) && !response.destroyed) setImmediate(more)
        else response.once('drain', more)
      }
      more()
    })
    const reply = await send(url)
    expect(reply).toMatchObject({ status: 200 })
    expect('body' in reply && reply.body.length).toBe(1000)
    expect(written).toBeLessThan(50e6)
  })

  test('a receiver that never answers, or only a byte at a time, is given up in time', async () => {
    const silent = await receiver(() => {})
    const slow = await receiver((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const replies = await Promise.all([send(silent), send(slow)])
    expect(replies).toEqual([{ failure: 'no reply within 400 ms' }, { failure: 'no reply within 400 ms' }])
  })

  test('a name that resolves to an address of our own network is refused, whatever else it resolves to', async () => {
    let calls = 0
    const url = await receiver((_request, response) => {
      calls += 1
      response.end()
    })
    const named = url.replace('127.0.0.1', 'hooks.example.com').replace('http:', 'https:')
    const resolvesTo = (...addresses: string[]) =>
      ((_name: string, _options: object, callback: (failure: null, all: object[]) => void) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )) as unknown as typeof dnsLookup
    const refused = { failure: 'the address of the receiver is not public' }
    for (const mayBeLocal of [true, false])
      for (const addresses of [['10.0.0.1'], ['8.8.8.8', '169.254.169.254']])
        expect(await send(named, { mayBeLocal, resolve: resolvesTo(...addresses) })).toEqual(refused)
    expect(await send(named, { mayBeLocal: false, resolve: resolvesTo('127.0.0.1') })).toEqual(refused)
    expect(calls).toBe(0)
  })

  test('a failure names neither the URL nor its query', async () => {
    const reply = await send('http://127.0.0.1:1/secret?key=abc')
    expect(reply).toEqual({ failure: 'ECONNREFUSED' })
  })
})
