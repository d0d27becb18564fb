/** kill -9 on the way to an order at a UCP merchant, then a restart: exactly one order, on record, at the agreed total. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { completesOrder, UCP_CARD, ucpMerchant, ucpProduct, UCP_TOKEN } from '../contracts/ucp-merchant.ts'
import type { Received } from '../contracts/scripted-upstream.ts'
import { startDeployment, until } from '../processes/processes.ts'
import { SHIP_TO, SHOP } from './buyer.ts'

const SETTLED_WITHIN_MS = 60_000
const PATIENCE = 300_000

async function startShop(transport: 'rest' | 'mcp') {
  const merchant = await ucpMerchant({ transport, currency: 'CNY' })
  merchant.products = [ucpProduct('water', { price: { amount: 80, currency: 'CNY' } })]
  const folder = mkdtempSync(join(tmpdir(), 'vendops-ucp-'))
  const file = join(folder, 'vendors.json')
  const connection = {
    namespace: SHOP,
    adapter: 'ucp',
    url: merchant.url,
    profile: 'https://vendops.example/.well-known/ucp',
    bearer: { env: 'SHOP_TOKEN' },
    handler: 'card',
    instrument: { id: 'instr_1', type: 'card', credential: { type: 'token', token: { env: 'SHOP_CARD' } } },
  }
  writeFileSync(file, JSON.stringify({ connections: [connection] }))
  onTestFinished(async () => {
    await merchant.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { start } = await startDeployment({
    env: { VENDORS_FILE: file, SHOP_TOKEN: UCP_TOKEN, SHOP_CARD: UCP_CARD },
  })
  const basket = { line_items: [{ item: { id: `${SHOP}:water` }, quantity: 3 }], fulfillment: SHIP_TO }
  return { merchant, start, basket }
}

const points: readonly (readonly [string, number])[] = [
  ['claimed', 0],
  ['answered', 1],
  ['settled', 1],
]
const opens = ({ method, path, body }: Received) =>
  (method === 'POST' && path.endsWith('/checkout-sessions')) || body.includes('"create_checkout"')
/** What the process waits for when it is killed, and whether the merchant does the work. */
const waits: readonly (readonly [string, (request: Received) => boolean, boolean, number])[] = [
  ['while a session is opened', opens, true, 0],
  ['while the request that buys is lost', completesOrder, false, 0],
  ['while the merchant buys', completesOrder, true, 1],
]

// Recovery waits until a lost request can no longer arrive, so the cases of a test wait together.
test('at every checkpoint: exactly one order in the end', { timeout: PATIENCE }, () =>
  together(
    points,
    ([point]) => point,
    async ([point, orders]) => {
      const { merchant, start, basket } = await startShop('rest')
      const doomed = await start(point)
      const { body } = await doomed.call('POST', '/checkout-sessions', basket)
      expect(body.status).toBe('ready_for_complete')
      await Promise.all([
        doomed.call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true }).catch(() => {}),
        doomed.gone,
      ])
      expect(merchant.orders).toHaveLength(orders)
      await expectOneOrder(await start(), merchant, body.id, orders)
    },
  ),
)

test.each(waits)('%s, over REST and MCP: one order in the end', { timeout: PATIENCE }, (_name, when, acting, orders) =>
  together(['rest', 'mcp'] as const, String, async (transport) => {
    const { merchant, start, basket } = await startShop(transport)
    const doomed = await start()
    const { body } = await doomed.call('POST', '/checkout-sessions', basket)
    const before = merchant.received.filter(when).length
    // Complete quotes again first: the session of the purchase is the second one that it opens.
    let seen = 0
    const isLast = (request: Received) => when(request) && ++seen === (when === opens ? 2 : 1)
    merchant.fail({ fault: { kind: 'silent' }, when: isLast, acting, times: 1 })
    void doomed.call('POST', `/checkout-sessions/${body.id}/complete`, { confirm: true }).catch(() => {})
    const expected = before + (when === opens ? 2 : 1)
    await until(async () => merchant.received.filter(when).length >= expected, SETTLED_WITHIN_MS)
    doomed.kill()
    await doomed.gone
    merchant.heal()
    expect(merchant.orders).toHaveLength(orders)
    await expectOneOrder(await start(), merchant, body.id, orders)
  }),
)

/** Runs all cases at once; a failure names its case. */
async function together<T>(cases: readonly T[], nameOf: (each: T) => string, run: (each: T) => Promise<void>) {
  const outcomes = await Promise.allSettled(cases.map(run))
  const failures = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? [`${nameOf(cases[i] as T)}: ${(outcome.reason as Error).stack}`] : [],
  )
  if (failures.length > 0) throw new Error(failures.join('\n'))
}

async function expectOneOrder(
  { call }: Awaited<ReturnType<Awaited<ReturnType<typeof startDeployment>>['start']>>,
  merchant: Awaited<ReturnType<typeof ucpMerchant>>,
  id: string,
  orders: number,
): Promise<void> {
  const session = async () => (await call('GET', `/checkout-sessions/${id}`)).body
  await until(async () => (await session()).status !== 'complete_in_progress', SETTLED_WITHIN_MS)
  expect((await session()).status).toBe(orders === 0 ? 'ready_for_complete' : 'completed')
  const done = await call('POST', `/checkout-sessions/${id}/complete`, { confirm: true })
  expect([done.status, done.body.status]).toEqual([200, 'completed'])
  const agreed = done.body.totals.find(({ type }: { type: string }) => type === 'total').amount
  expect(merchant.orders.map((order) => [order.id, order.total])).toEqual([[done.body.order.label, agreed]])
  expect(merchant.violations).toEqual([])
}
