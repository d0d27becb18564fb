/** Kills the service between the commit of an order and its webhook, and between sending and marking it as sent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseUrl } from '../support/database.ts'
import { TOKEN } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { isVerified, keysFile, newKey, startReceiver } from '../webhooks/receiver.ts'
import { freePort } from '../support/free-port.ts'
import { builtInstance } from './build-instance.ts'
import { until } from './processes.ts'

const WITHIN_MS = 60_000

/** Staging, whose simulated supplier is part of the process and keeps its orders in the data folder. */
async function startDeployment(receiver: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-outbox-'))
  const database = await databaseUrl()
  const keys = keysFile(newKey(0))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const start = async (killAt: string) => {
    const port = await freePort()
    const child = spawn(process.execPath, [await builtInstance()], {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        OPERATOR_TOKEN: TOKEN,
        DATABASE_URL: database,
        DATA_DIR: folder,
        SIGNING_KEYS_FILE: keys.file,
        WEBHOOK_TARGETS: JSON.stringify([{ id: 'platform', url: receiver, kinds: ['purchase'] }]),
        LOG_LEVEL: 'silent',
        KILL_AT: killAt,
      },
    })
    const gone = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await gone
    })
    const root = `http://127.0.0.1:${port}`
    await until(async () => (await fetch(`${root}/readyz`)).ok, WITHIN_MS)
    const call = async (method: string, path: string, body?: object): Promise<Json> => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const answer = await fetch(`${root}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return answer.json()
    }
    return { gone, call }
  }
  return { start }
}

async function buy(call: (method: string, path: string, body?: object) => Promise<Json>): Promise<string> {
  const found = await call('POST', '/ucp/v1/catalog/search', { filters: { namespace: 'acme-supply' } })
  const item = found.products.find((product: Json) => product.variants[0].availability.available).variants[0].id
  const destination = { street_address: '世纪大道 100 号', first_name: '伟', phone_number: '13800000000' }
  const session = await call('POST', '/ucp/v1/checkout-sessions', {
    line_items: [{ item: { id: item }, quantity: 1 }],
    fulfillment: { methods: [{ type: 'shipping', destinations: [destination] }] },
  })
  await call('POST', `/ucp/v1/checkout-sessions/${session.id}/complete`, { confirm: true }).catch(() => {})
  return session.id
}

test.each([
  ['message_due', 0],
  ['message_sent', 1],
])(
  'killed at %s: the receiver has %i messages, and after a restart the order, under one id',
  { timeout: 300_000 },
  async (point, sent) => {
    const receiver = await startReceiver()
    const { start } = await startDeployment(receiver.url)
    const doomed = await start(point)
    const id = await buy(doomed.call)
    await doomed.gone
    expect(receiver.received).toHaveLength(sent)

    const { call } = await start('')
    await until(async () => (await call('GET', '/ucp/v1/webhooks?state=delivered')).deliveries.length > 0, WITHIN_MS)
    const first = receiver.received.filter(
      ({ headers }) => headers['webhook-id'] === receiver.received[0]?.headers['webhook-id'],
    )
    expect(first).toHaveLength(sent + 1)
    expect(first.map(({ body }) => body.id)).toEqual(first.map(() => id))
    const { keys } = await call('GET', '/.well-known/ucp')
    for (const message of first) expect(await isVerified(message, receiver.origin, keys)).toBe(true)
  },
)
