/** Hostile uploads: each is refused or read beside the requests, and health and the emergency stop answer meanwhile. */
import { once } from 'node:events'
import { request } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { HOUR, rfc3339 } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'
import { NOW } from '../support/service.ts'
import { archive, xlsx } from '../support/workbooks.ts'
import { hugeCell, MB, zipBomb } from './hostile-bytes.ts'
import { LIST_SETTINGS, PRICES_ONLY, startHosted } from './hosted-service.ts'

/**
 * The longest turn of the event loop: while it lasts, nobody is answered. In processor time of this thread, in milliseconds:
 * unlike the time of the clock it does not depend on other programs.
 */
function watchTurns(): { longest(): number } {
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [last, longest, isOn] = [cpu(), 0, true]
  const turn = () => {
    const now = cpu()
    longest = Math.max(longest, now - last)
    last = now
    if (isOn) next()
  }
  // At the end of each turn; without a reference the loop still sleeps where there is nothing to do.
  const next = () => void setImmediate(turn).unref()
  next()
  return {
    longest() {
      isOn = false
      return Math.round(longest)
    },
  }
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
    ['a DEX file of 90,000 selections', 'dex', 'c.dex', Buffer.from(dexOf(90_000, 0)), false],
    [
      'a DEX file of 400 readings',
      'dex',
      'd.dex',
      Buffer.from(Array.from({ length: 400 }, (_, i) => dexOf(80, i)).join('')),
      true,
    ],
  ]
}

/** A reading of a machine that has sold `vends` times. */
const dexOf = (selections: number, vends: number): string =>
  dexFile([
    'ID1*SERIAL*MODEL*1*HALL*6*ASSET',
    `VA1*${vends * 100}*${vends}*${vends * 100}*${vends}`,
    ...Array.from({ length: selections }, (_, i) => [`PA1*${i + 1}*100`, `PA2*${i === 0 ? vends : 0}*0*0*0`]).flat(),
  ])

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

const TURN_MS_MAX = 80
const TRIES = 3

/** The longest turn, tried again where it was long: memory of earlier test files that is collected is not there each time. */
async function shortest(work: (turn: number) => Promise<number>): Promise<number> {
  let best = Infinity
  for (let turn = 0; turn < TRIES && best > TURN_MS_MAX; turn++) best = Math.min(best, await work(turn))
  return best
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
  const bring = (kind: string, file: string, bytes: Buffer, query: string) => {
    const namespace = kind === 'price_list' || kind === 'reply' ? 'depot-supply' : 'depot-machine'
    const field = (name: string, more = '') =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
    // What was written a moment ago is not read yet.
    const writtenAt = rfc3339(NOW - HOUR, 'UTC')
    const fields = `${field('kind')}${kind}\r\n${field('written_at')}${writtenAt}\r\n`
    const head = `${fields}${field('file', `; filename="${file}"`)}`
    const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
    return sendAside(
      `${base}/ucp/v1/connections/${namespace}/files${query}`,
      { authorization, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      payload,
    )
  }
  const files = hostileFiles()
  // The first goes twice: what is loaded and compiled when it is first used is not counted.
  for (const [name, kind, file, bytes, usable] of [...files.slice(4, 5), ...files]) {
    measured[name] = await shortest(async () => {
      let isDone = false
      const brought = bring(kind, file, bytes, '?dry_run=true').finally(() => (isDone = true))
      const turns = watchTurns()
      const stop = send(
        base,
        'POST',
        '/ucp/v1/guardrails/stop',
        { authorization, 'content-type': 'application/json' },
        JSON.stringify({ reason: name }),
      )
      let answers = 0
      for (; !isDone; answers += 1) {
        await new Promise((done) => setTimeout(done, 20))
        expect((await send(base, 'GET', '/healthz', {})).status).toBe(200)
      }
      const { status, text } = await brought
      const { preview } = JSON.parse(text)
      expect([name, status, preview?.usable, preview?.summary]).toEqual([name, 200, usable, expect.any(String)])
      expect((await stop).status).toBe(200)
      expect(answers, name).toBeGreaterThan(0)
      return turns.longest()
    })
    if (!usable) continue
    // The same file is taken once; an empty line makes another one of it.
    measured[`${name}, used`] = await shortest(async (turn) => {
      const used = bring(kind, file, Buffer.concat([bytes, Buffer.from('\r\n'.repeat(turn))]), '')
      const applied = watchTurns()
      expect((await used).status).toBe(200)
      return applied.longest()
    })
  }
  // It was read, not only kept.
  const platform = service.ctx.vendors.machine('depot-machine' as Namespace)
  expect(platform.ok && (await platform.value.health?.('M1'))).toMatchObject({
    ok: true,
    value: { lastSeenAt: NOW - HOUR },
  })
  // The goal is 50 ms. Seen: 4 to 35. On this thread a planogram took 340, and these DEX files 260 and 1,870.
  expect(Object.entries(measured).filter(([, ms]) => ms > TURN_MS_MAX)).toEqual([])
}, 300_000)
