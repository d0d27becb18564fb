import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startUsdDemo } from '../../scripts/demo-usd.ts'
import type { Json } from '../support/service.ts'
import { freePort } from '../support/staging.ts'

test(
  'npm run demo:usd: machines sell in dollars, an order file is written, taken and confirmed',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vendops-demo-usd-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const demo = await startUsdDemo({ folder, port: await freePort(), env: { LOG_LEVEL: 'silent' } })
    onTestFinished(() => demo.stop())
    const call = async (method: string, path: string, body?: object): Promise<Json> => {
      const headers = { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${demo.url}/ucp/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return answer.json()
    }
    const { locations } = await call('POST', '/locations/search', {})
    expect(locations.map(({ id }: Json) => id).toSorted()).toEqual(['DEPOT', 'GYM', 'LOBBY'])
    const { orders } = await call('GET', '/orders?type=sale&limit=5')
    expect(orders[0]).toMatchObject({ currency: 'USD' })

    const made = await call('POST', '/checkout-sessions', {
      line_items: [{ item: { id: 'wholesale-supply:COLA-12' }, quantity: 2, quantity_unit: { unit: 'BX' } }],
      fulfillment: {
        methods: [
          {
            type: 'shipping',
            destinations: [{ street_address: '1 Depot Road', first_name: 'Ana', phone_number: '+1 512 555 0100' }],
          },
        ],
      },
    })
    expect(made).toMatchObject({ status: 'ready_for_complete', currency: 'USD' })
    expect(await call('POST', `/checkout-sessions/${made.id}/complete`, { confirm: true })).toMatchObject({
      status: 'completed',
    })
    expect(readdirSync(join(folder, 'orders'))).toEqual([`${made.id}.csv`])
    demo.takeOrders()
    expect(readdirSync(join(folder, 'orders'))).toEqual([])
    expect(readdirSync(join(folder, 'replies'))).toEqual([`${made.id}.csv`])
  },
)
