/** What only a real connection shows: how answers follow each other, what never reaches a route, callers that leave, a stop. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectionLimits } from '../../src/http/connections.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { startService, TOKEN } from '../support/service.ts'

const GOODS = 40
const ids = Array.from({ length: GOODS }, (_, n) => `acme-supply:SP${n}`)
const body = JSON.stringify({ ids })
const authorization = `authorization: Bearer ${TOKEN}\r\n`
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\n${authorization}${more}\r\n`
const lookup = (more = '') =>
  `${head('POST', '/ucp/v1/catalog/lookup', `content-type: application/json\r\ncontent-length: ${body.length}\r\n${more}`)}${body}`

async function listening() {
  const products = Array.from({ length: GOODS }, (_, n) =>
    supplyProduct(`SP${n}`, { title: `水 ${n} ${'长'.repeat(500)}` }),
  )
  const service = await startService({ supply: scriptedSupply(products) })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const answered = () => service.log.filter(({ sentence }) => sentence === 'request completed').length
  return { service, open, answered }
}

/** Everything that comes until the other side closes, cut where answers begin. */
async function answersTo(socket: Socket, text: string): Promise<readonly { head: string; body: Buffer }[]> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(text)
  await once(socket, 'close')
  let rest = Buffer.concat(chunks)
  const answers: { head: string; body: Buffer }[] = []
  while (rest.length > 0) {
    const at = rest.indexOf('\r\n\r\n') + 4
    const top = rest.subarray(0, at).toString()
    const length = /^content-length: (\d+)/im.exec(top)?.[1]
    if (at < 4 || length === undefined) throw new Error(`no whole answer: ${top}`)
    const end = at + Number(length)
    answers.push({ head: top, body: rest.subarray(at, end) })
    rest = rest.subarray(end)
  }
  return answers
}

test('responses on one connection are in order and have their stated length', async () => {
  const { service, open, answered } = await listening()
  const [first, second, last] = await answersTo(
    open(),
    lookup() + lookup() + head('GET', '/.well-known/ucp', 'connection: close\r\n'),
  )
  const expected = await service.post('/catalog/lookup', { ids })
  expect(JSON.parse(first?.body.toString() ?? '')).toEqual(expected.body)
  expect(second?.body).toEqual(first?.body)
  expect(first?.head).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(first?.head).toMatch(/^request-id: /m)
  expect(last?.head).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(answered(), 'each is reported once').toBe(4)
})

test('a long answer is compressed for a caller that takes it, and only what is read', async () => {
  const { service } = await listening()
  const ask = (url: string, encoding: string, payload?: object) =>
    service.server.inject({
      method: payload ? 'POST' : 'GET',
      url: `/ucp/v1${url}`,
      headers: { authorization: `Bearer ${TOKEN}`, 'accept-encoding': encoding },
      ...(payload ? { payload } : {}),
    })
  const plain = await ask('/catalog/lookup', 'identity', { ids })
  for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8']) {
    const small = await ask('/catalog/lookup', accepted, { ids })
    expect(small.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
  }
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.0, br']) {
    const answer = await ask('/catalog/lookup', accepted, { ids })
    expect(answer.headers['content-encoding'], accepted).toBeUndefined()
    expect(answer.body).toBe(plain.body)
  }
  expect((await ask('/me', 'gzip')).headers['content-encoding'], 'too short').toBeUndefined()
  const written = await ask('/checkout-sessions', 'gzip', {
    line_items: ids.slice(0, 9).map((id) => ({ item: { id }, quantity: 1 })),
  })
  expect(written.statusCode).toBe(201)
  expect(written.body.length).toBeGreaterThan(8000)
  expect(written.headers['content-encoding'], 'a signature covers its bytes').toBeUndefined()
})

test('a caller that disconnects midway does not affect others', async () => {
  const { open, answered } = await listening()
  const hasty = open()
  hasty.write(lookup())
  await once(hasty, 'data')
  hasty.destroy()
  const [patient] = await answersTo(open(), lookup('connection: close\r\n'))
  expect(JSON.parse(patient?.body.toString() ?? '').products).toHaveLength(GOODS)
  await expect.poll(answered).toBe(2)
})

test('HEAD returns the length and no body', async () => {
  const { service, open } = await listening()
  const socket = open()
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(head('HEAD', '/ucp/v1/replenishment/plan', 'connection: close\r\n'))
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString()
  const plan = await service.get('/replenishment/plan')
  expect(text).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(plan.text)}\\r$`, 'm'))
  expect(text.endsWith('\r\n\r\n')).toBe(true)
})

describe('7 errors before any route have the same shape', () => {
  const close = 'connection: close\r\n'
  test.each([
    ['a request without Host', `GET /ucp/v1/namespaces HTTP/1.1\r\n${authorization}${close}\r\n`, 400],
    ['a request with two Host headers', head('GET', '/ucp/v1/namespaces', `Host: y\r\n${close}`), 400],
    ['an expectation nobody can meet', head('GET', '/ucp/v1/namespaces', `expect: wonders\r\n${close}`), 417],
    ['a method that no path takes', head('PROPFIND', '/ucp/v1/events', close), 405],
    ['such a method where nothing is', head('PROPFIND', '/ucp/v1/nowhere', close), 404],
    ['something that is not HTTP', 'NONSENSE\r\n\r\n', 400],
  ])('%s', async (_name, text, status) => {
    const { open } = await listening()
    const [answer] = await answersTo(open(), text)
    expect(answer?.head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const reply = JSON.parse(answer?.body.toString() ?? '')
    expect([reply.ucp.status, reply.messages[0].type]).toEqual(['error', 'error'])
  })
})

test('a caller that disconnects before the response is also logged', async () => {
  const { service, open } = await listening()
  const { promise: late, resolve: answer } = Promise.withResolvers<void>()
  service.supply.script.next('catalog', { wait: late })
  const hasty = open()
  hasty.write(lookup('request-id: left-early\r\n'))
  await expect.poll(() => service.supply.script.count('catalog')).toBe(1)
  hasty.destroy()
  const lines = () => service.log.filter(({ fields }) => 'request_id' in fields && fields.request_id === 'left-early')
  await expect.poll(() => lines().length).toBe(1)
  answer()
  expect(lines()[0]?.fields).toMatchObject({ operation: 'lookupCatalog', aborted: true })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(lines(), 'once').toHaveLength(1)
})

test('a stop truncates no response in flight', async () => {
  const { service, open } = await listening()
  const REQUESTS = 60
  const socket = open()
  socket.pause()
  const whole = answersTo(socket, lookup().repeat(REQUESTS))
  socket.pause()
  const answered = () => service.log.filter(({ sentence }) => sentence === 'request completed').length
  await expect.poll(() => service.supply.script.count('catalog')).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const stopped = service.server.close()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(answered(), 'a reader this slow has not got them all').toBeLessThan(REQUESTS)
  socket.resume()
  const answers = await whole
  expect(answers).toHaveLength(REQUESTS)
  for (const { body: each } of answers) expect(each).toEqual(answers[0]?.body)
  await stopped
})

describe('limits of a connection', () => {
  const PAGE = `GET /docs HTTP/1.1\r\nhost: x\r\n\r\n`

  async function withDocs(connectionLimits: Partial<ConnectionLimits>) {
    let admitted = 0
    let held = 0
    let mostHeld = 0
    const service = await startService({
      connectionLimits,
      beforeReady: async (server) => {
        server.addHook('onRequest', (_request, { raw }, done) => {
          admitted += 1
          held += 1
          mostHeld = Math.max(mostHeld, held)
          raw.once('close', () => (held -= 1))
          done()
        })
      },
    })
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    const open = (): Socket => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      onTestFinished(() => void socket.destroy())
      return socket
    }
    const connections = () => promisify(service.server.server.getConnections.bind(service.server.server))()
    return { service, open, connections, admitted: () => admitted, mostHeld: () => mostHeld }
  }

  test('100 callers that pipeline 60 requests and never read have one response each in memory, and are disconnected', async () => {
    const CALLERS = 100
    const AHEAD = 60
    const limits = { stalledMs: 1500, pipelinedTotalMax: CALLERS * AHEAD }
    const { open, connections, admitted, mostHeld } = await withDocs(limits)
    for (let i = 0; i < CALLERS; i++) open().pause().write(PAGE.repeat(AHEAD))
    await expect.poll(admitted).toBeGreaterThan(CALLERS)
    // Cutting some frees buffers of the kernel, which then take a little more of the others.
    await expect.poll(connections, { interval: 200 }).toBe(0)
    // The next one begins a moment before the last one is closed. Without the limit it is thousands.
    expect(mostHeld()).toBeLessThanOrEqual(2 * CALLERS)
    expect(admitted(), 'what the kernel does not take is not even worked on').toBeLessThan((CALLERS * AHEAD) / 2)
  })

  test('a caller that reads slowly gets every response completely', async () => {
    const { open } = await withDocs({ stalledMs: 2000 })
    const [page] = await answersTo(open(), PAGE.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    const AHEAD = 30
    const slow = open()
    const began = performance.now()
    slow.on('data', () => {
      slow.pause()
      setTimeout(() => slow.resume(), 30)
    })
    const last = PAGE.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')
    const answers = await answersTo(slow, PAGE.repeat(AHEAD - 1) + last)
    expect(answers).toHaveLength(AHEAD)
    for (const { body: each } of answers) expect(each.equals(page?.body ?? Buffer.alloc(0))).toBe(true)
    expect(performance.now() - began, 'longer than a caller may leave an answer unread').toBeGreaterThan(2000)
  })

  test('a caller that waits for a slow upstream is not disconnected', async () => {
    const products = [supplyProduct('SP0')]
    const service = await startService({ supply: scriptedSupply(products), connectionLimits: { stalledMs: 200 } })
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    service.supply.script.next('catalog', { wait: new Promise((resolve) => setTimeout(resolve, 900)) })
    const [answer] = await answersTo(connect(port, '127.0.0.1'), lookup('connection: close\r\n'))
    expect(answer?.head).toMatch(/^HTTP\/1.1 200 OK/)
  })

  test('a caller that pipelines too many requests is disconnected; the next one is answered', async () => {
    const { open, connections } = await withDocs({ pipelinedMax: 8 })
    const greedy = open()
    greedy.pause().write(PAGE.repeat(50))
    await once(greedy, 'connect')
    await expect.poll(connections).toBe(0)
    const patient = PAGE.repeat(7) + PAGE.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')
    expect(await answersTo(open(), patient)).toHaveLength(8)
  })

  test('pipelined requests are also limited over all connections', async () => {
    const { open, connections } = await withDocs({ pipelinedTotalMax: 100 })
    for (let i = 0; i < 10; i++) open().pause().write(PAGE.repeat(60))
    await expect.poll(connections).toBeLessThan(4)
    const [answer] = await answersTo(open(), PAGE.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    expect(answer?.head).toMatch(/^HTTP\/1.1 200 OK/)
  })

  test('the number of connections is limited', async () => {
    const { open, connections } = await withDocs({ connectionsMax: 5 })
    for (let i = 0; i < 9; i++) open()
    await expect.poll(connections).toBe(5)
  })
})
