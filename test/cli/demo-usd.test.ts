import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startUsdDemo } from '../../scripts/demo-usd.ts'
import type { Json } from '../support/service.ts'
import { freePort } from '../support/free-port.ts'

const caller =
  ({ url, token }: { readonly url: string; readonly token: string }) =>
  async (method: string, path: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/ucp/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return answer.json()
  }

const DELIVERY = {
  methods: [
    {
      type: 'shipping',
      destinations: [{ street_address: '1 Depot Road', first_name: 'Ana', phone_number: '+1 512 555 0100' }],
    },
  ],
}

test(
  'npm run demo:usd: machines sell in dollars, an order file is written and confirmed, a UCP shop sells to us',
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vendops-demo-usd-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const demo = await startUsdDemo({
      folder,
      port: await freePort(),
      shopPort: await freePort(),
      logLevel: 'silent',
      // The test takes them itself.
      takeOrdersEveryMs: 3_600_000,
    })
    onTestFinished(() => demo.stop())
    const [call, shop] = [caller(demo), caller(demo.shop)]
    const { locations } = await call('POST', '/locations/search', {})
    expect(locations.map(({ id }: Json) => id).toSorted()).toEqual(['DEPOT', 'GYM', 'LOBBY'])
    const { orders } = await call('GET', '/orders?type=sale&limit=5')
    expect(orders[0]).toMatchObject({ currency: 'USD' })

    const buy = async (item: Json, unit: string) => {
      const made = await call('POST', '/checkout-sessions', {
        line_items: [{ item, quantity: 2, quantity_unit: { unit } }],
        fulfillment: DELIVERY,
      })
      expect(made).toMatchObject({ status: 'ready_for_complete', currency: 'USD' })
      const done = await call('POST', `/checkout-sessions/${made.id}/complete`, { confirm: true })
      expect(done).toMatchObject({ status: 'completed' })
      return done
    }
    const { id } = await buy({ id: 'wholesale-supply:COLA-12' }, 'BX')
    expect(readdirSync(join(folder, 'orders'))).toEqual([`${id}.csv`])
    demo.takeOrders()
    expect(readdirSync(join(folder, 'orders'))).toEqual([])
    expect(readdirSync(join(folder, 'replies'))).toEqual([`${id}.csv`])

    const { products } = await call('POST', '/catalog/search', { filters: { namespace: 'shop-supply' } })
    const bought = await buy({ id: products.find(({ variants: [v] }: Json) => v.availability.available).id }, 'EA')
    const here = await call('GET', `/orders/${bought.order.id}`)
    const [there] = (await shop('GET', '/orders?kind=purchase')).orders
    expect([here.label, here.currency, there.currency]).toEqual([there.id, 'USD', 'USD'])
    expect(here.totals).toEqual(there.totals)
  },
)
