/** Answers that are sent as the bytes of their goods, over a real connection. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { good, scriptedSupply } from '../support/scripted-vendors.ts'
import { startService, TOKEN } from '../support/service.ts'

const GOODS = 40
const ids = Array.from({ length: GOODS }, (_, n) => `acme-supply:SP${n}`)
const body = JSON.stringify({ ids })
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n${more}\r\n`
const lookup = (more = '') =>
  `${head('POST', '/ucp/v1/catalog/lookup', `content-type: application/json\r\ncontent-length: ${body.length}\r\n${more}`)}${body}`

async function listening() {
  const goods = Array.from({ length: GOODS }, (_, n) => good(`SP${n}`, { title: `水 ${n} ${'长'.repeat(500)}` }))
  const service = await startService({ supply: scriptedSupply(goods) })
  await service.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.server.address() as AddressInfo
  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const answered = () => service.log.filter(({ sentence }) => sentence === 'answered').length
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
    const end = at + Number(length)
    answers.push({ head: top, body: rest.subarray(at, end) })
    rest = rest.subarray(end)
  }
  return answers
}

test('answers on one connection follow each other, each as long as it says', async () => {
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
  expect(answered(), 'each is told once').toBe(4)
})

test('who hangs up in the middle hinders nobody', async () => {
  const { open, answered } = await listening()
  const hasty = open()
  hasty.write(lookup())
  await once(hasty, 'data')
  hasty.destroy()
  const [patient] = await answersTo(open(), lookup('connection: close\r\n'))
  expect(JSON.parse(patient?.body.toString() ?? '').products).toHaveLength(GOODS)
  await expect.poll(answered).toBe(2)
})

test('a HEAD tells the length and sends nothing of the answer', async () => {
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
