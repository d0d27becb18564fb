/** Hostile uploads: each is refused or read beside the requests, and health and the emergency stop answer meanwhile. */
import { once } from 'node:events'
import { request } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { archive, xlsx } from '../support/workbooks.ts'
import { hugeCell, MB, zipBomb } from './hostile-bytes.ts'
import { LIST_SETTINGS, PRICES_ONLY, startHosted } from './hosted-service.ts'

/** Of this thread, in milliseconds: unlike the time of the clock it does not depend on other programs. */
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Shorter ones are refused. */
const BOUNDARY = 'boundary-of-the-hostile-forms'

function hostileFiles(): readonly (readonly [
  name: string,
  kind: string,
  file: string,
  bytes: Buffer,
  usable: boolean,
])[] {
  const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('')
  const content = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">${laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]><office:document-content>&a9;&f;</office:document-content>`
  const ods = archive({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content })
  const formulas = xlsx({
    name: 'Prices',
    rows: [
      ['Item', 'Description', 'Pack', 'Case price'],
      [
        '1',
        { formula: 'HYPERLINK("http://evil.example","Coke")', value: 'Coke' },
        '24/CS',
        { formula: '1+1', value: 12 },
      ],
      ['2', { formula: 'cmd|calc!A1', value: 'Tea' }, '12/CS', { formula: '6' }],
    ],
  })
  const lanes = (n: number) =>
    `location,selection,sku,title\n${Array.from({ length: n }, (_, i) => `M1,${i},SKU${i},Product ${i}\n`).join('')}`
  return [
    ['a zip bomb', 'price_list', 'a.xlsx', zipBomb(), false],
    ['entities', 'price_list', 'a.ods', ods, false],
    ['formulas', 'price_list', 'b.xlsx', formulas, true],
    [
      'a million columns',
      'price_list',
      'a.csv',
      Buffer.from(`${'a,'.repeat(1_000_000)}\n${'1,'.repeat(1_000_000)}\n`),
      false,
    ],
    ['a cell of 15 MB', 'price_list', 'b.csv', hugeCell(15), false],
    ['a reply that is a zip bomb', 'reply', 'r.xlsx', zipBomb(), false],
    ['a reply that is one cell', 'reply', 'r.csv', hugeCell(1.9), false],
    ['a reply of 15 MB', 'reply', 's.csv', hugeCell(15), false],
    [
      'a reply of many rows',
      'reply',
      't.csv',
      Buffer.from(`po,status,sku,qty\n${'po_9,changed,1,1\n'.repeat(100_000)}`),
      false,
    ],
    ['a reply with entities', 'reply', 'u.xml', Buffer.from(content), false],
    ['a planogram of 400,000 lanes', 'planogram', 'p.csv', Buffer.from(lanes(400_000)), false],
    ['a planogram of 50,000 lanes', 'planogram', 'r.csv', Buffer.from(lanes(50_000)), true],
    ['a planogram that is one cell', 'planogram', 'q.csv', Buffer.from(`location,"${'x'.repeat(10 * MB)}`), false],
    ['a DEX file of one line', 'dex', 'a.dex', Buffer.from(`DXS*${'A*'.repeat(400_000)}\r\n`), false],
    ['a DEX file of a million lines', 'dex', 'b.dex', Buffer.from('PA1*1*100\r\n'.repeat(80_000)), false],
  ]
}

interface Got {
  readonly status: number
  readonly text: string
}

/** Over a socket, as a browser sends it. */
function send(base: string, method: string, path: string, headers: Record<string, string>, body?: Buffer | string) {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const outgoing = request(`${base}${path}`, { method, headers }, (incoming) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** From a thread of its own: what sending costs is not counted. */
async function sendAside(url: string, headers: Record<string, string>, body: Buffer): Promise<Got> {
  const worker = new Worker(
    `const { parentPort, workerData: { url, headers, body } } = require('node:worker_threads')
    fetch(url, { method: 'POST', headers, body }).then(async (answer) =>
      parentPort.postMessage({ status: answer.status, text: await answer.text() }))`,
    { eval: true, workerData: { url, headers, body } },
  )
  const [got] = await once(worker, 'message')
  void worker.terminate()
  return got as Got
}

test('hostile files are read beside the requests: health and the emergency stop answer meanwhile', async () => {
  const service = await startHosted()
  const order = { via: 'http', format: 'cxml', url: 'http://127.0.0.1:9', buyer: { name: 'Route One' } }
  const supplier = { ...PRICES_ONLY, settings: { ...LIST_SETTINGS, order } }
  expect((await service.owner('POST', '/connections', supplier)).status).toBe(201)
  const settings = { machines: [{ location: 'M1', file: '*' }] }
  const machines = { namespace: 'depot-machine', adapter: 'eva-dts', settings }
  expect((await service.owner('POST', '/connections', machines)).status).toBe(201)
  const base = await service.server.listen({ port: 0, host: '127.0.0.1' })
  const authorization = `Bearer ${service.ownerKey}`
  const measured: Record<string, number> = {}
  const files = hostileFiles()
  // The first goes twice: what is loaded and compiled when it is first used is not counted.
  for (const [name, kind, file, bytes, usable] of [...files.slice(4, 5), ...files]) {
    const namespace = kind === 'price_list' || kind === 'reply' ? 'depot-supply' : 'depot-machine'
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="kind"\r\n\r\n${kind}\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${file}"\r\n\r\n`
    const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
    let isDone = false
    const brought = sendAside(
      `${base}/ucp/v1/connections/${namespace}/files?dry_run=true`,
      { authorization, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      payload,
    ).finally(() => (isDone = true))
    const stop = send(
      base,
      'POST',
      '/ucp/v1/guardrails/stop',
      { authorization, 'content-type': 'application/json' },
      JSON.stringify({ reason: name }),
    )
    let longest = 0
    let answers = 0
    // With the pause before it: whatever runs on this thread is in one of the measurements.
    for (; !isDone; answers += 1) {
      const before = cpu()
      await new Promise((done) => setTimeout(done, 20))
      expect((await send(base, 'GET', '/healthz', {})).status).toBe(200)
      longest = Math.max(longest, cpu() - before)
    }
    const { status, text } = await brought
    const { preview } = JSON.parse(text)
    expect([name, status, preview?.usable, preview?.summary]).toEqual([name, 200, usable, expect.any(String)])
    expect((await stop).status).toBe(200)
    measured[name] = Math.round(longest)
    expect(answers, name).toBeGreaterThan(0)
  }
  // The goal is 50 ms. Seen: 4 to 52, and 74 to 94 where the form has 15 MB. On this thread planograms took 314 and 971.
  // The thread also collects the garbage of the tests before this one.
  expect(Object.entries(measured).filter(([, ms]) => ms > 700)).toEqual([])
}, 300_000)
