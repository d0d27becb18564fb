import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { good, scriptedSupply } from '../support/scripted-vendors.ts'
import { startService, TOKEN } from '../support/service.ts'

const GOODS = 400
const names = Array.from({ length: GOODS }, (_, i) => `acme-supply:SP${i}`)

/** Answers are put together in room that the next one uses again: none may ever show in another. */
test('answers sent at the same time, to quick and to slow callers, are each their own', async () => {
  const goods = names.map((_, i) => good(`SP${i}`, { title: `农夫山泉 ${i} ${'x'.repeat(300)}` }))
  const service = await startService({ supply: scriptedSupply(goods) })
  const address = await service.server.listen({ host: '127.0.0.1', port: 0 })
  const url = new URL(address)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const idsOf = (i: number) => Array.from({ length: 20 }, (_, k) => names[(i * 13 + k * 7) % GOODS] as string)
  const body = (i: number) => JSON.stringify({ ids: [...new Set(idsOf(i))] })
  const asked = (answer: string) => (JSON.parse(answer) as { products: { id: string }[] }).products.map(({ id }) => id)

  // Callers that send many requests and read none of the answers until later: their bytes wait in the service.
  const slow = Array.from({ length: 3 }, (_, n) => {
    const socket = createConnection({ host: url.hostname, port: Number(url.port) }).pause()
    const mine = Array.from({ length: 400 }, (__, k) => 1000 + n * 500 + k)
    for (const i of mine) {
      const text = body(i)
      socket.write(
        `POST /ucp/v1/catalog/lookup HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      )
    }
    return { socket, mine }
  })
  await sleep(200)
  const quick = await Promise.all(
    Array.from({ length: 150 }, async (_, i) => {
      const answer = await fetch(`${address}/ucp/v1/catalog/lookup`, { method: 'POST', headers, body: body(i) })
      const text = await answer.text()
      // Long enough to matter, short enough to be lent.
      expect(Buffer.byteLength(text)).toBeGreaterThan(16 * 1024)
      expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024)
      return asked(text)
    }),
  )
  quick.forEach((ids, i) => expect(ids).toEqual([...new Set(idsOf(i))]))
  for (const { socket, mine } of slow) {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume()
    const answers = () => splitAnswers(Buffer.concat(chunks))
    while (answers().length < mine.length) await sleep(100)
    expect(answers().map(asked)).toEqual(mine.map((i) => [...new Set(idsOf(i))]))
    socket.destroy()
  }
})

/** The bodies of complete answers, one after the other, by their told length. */
function splitAnswers(bytes: Buffer): string[] {
  const bodies: string[] = []
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) return bodies
    const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', at, end))?.[1])
    if (bytes.length < end + 4 + length) return bodies
    bodies.push(bytes.toString('utf8', end + 4, end + 4 + length))
    at = end + 4 + length
  }
}
