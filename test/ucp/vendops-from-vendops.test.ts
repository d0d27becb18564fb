/** One vendops in staging is the merchant; another one in live buys from it over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { startStaging } from '../support/staging.ts'
import type { Json } from '../support/service.ts'
import { caller, SHIP_TO, SHOP, startBuyer } from './buyer.ts'

const PATIENCE = 120_000

async function startBoth(transport: 'rest' | 'mcp') {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-merchant-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const merchant = await startStaging({ folder, env: { RATE_LIMIT_PER_MINUTE: '0' } })
  const buyer = await startBuyer({
    connection: {
      url: merchant.url,
      transport,
      profile: 'http://127.0.0.1/.well-known/ucp',
      bearer: { env: 'MERCHANT_TOKEN' },
      handler: 'supplier_account',
      instrument: { id: 'account', type: 'on_account' },
      assortment: { filters: { namespace: 'acme-supply' } },
    },
    variables: { MERCHANT_TOKEN: merchant.token },
  })
  return { merchant: caller(merchant.port, merchant.token), buyer }
}

const productsOf = async (call: ReturnType<typeof caller>, namespace: string): Promise<Json[]> =>
  (await call('POST', '/catalog/search', { filters: { namespace }, pagination: { limit: 100 } })).body.products

test.each(['rest', 'mcp'] as const)(
  'catalog, quote, purchase and status of another vendops over %s, in pieces and in boxes',
  { timeout: PATIENCE },
  async (transport) => {
    const { merchant, buyer } = await startBoth(transport)
    const theirs = await productsOf(merchant, 'acme-supply')
    const ours = await productsOf(buyer.call, SHOP)
    expect(ours).toHaveLength(theirs.length)
    const source = theirs.find(({ variants: [variant] }) => {
      const [each, box] = variant.sale_units
      return variant.availability.available && box?.contains > 1 && box.price.amount < 10_000 && each.unit === 'EA'
    })
    const product = ours.find(({ id }) => id === `${SHOP}:${source.id.replace(':', '%3A')}`)
    const units = (variant: Json) =>
      variant.sale_units.map(({ unit, contains, price }: Json) => [unit, contains, price])
    expect(units(product.variants[0])).toEqual(units(source.variants[0]))

    const [each, box] = product.variants[0].sale_units
    const created = await buyer.call('POST', '/checkout-sessions', {
      line_items: [
        { item: { id: product.id }, quantity: 1, quantity_unit: { unit: 'BX' } },
        { item: { id: product.id }, quantity: 2, quantity_unit: { unit: 'EA' } },
      ],
      fulfillment: SHIP_TO,
    })
    expect([created.status, created.body.status]).toEqual([201, 'ready_for_complete'])
    // The merchant's total, so it is not an estimate.
    expect(created.body.messages.filter(({ path }: Json) => path === '$.totals')).toEqual([])
    const total = created.body.totals.find(({ type }: Json) => type === 'total').amount
    expect(total).toBe(box.price.amount + 2 * each.price.amount)

    const path = `/checkout-sessions/${created.body.id}/complete`
    const [done, again] = await Promise.all([
      buyer.call('POST', path, { confirm: true }),
      buyer.call('POST', path, { confirm: true }),
    ])
    expect([done.status, done.body.status]).toEqual([200, 'completed'])
    expect(again.body.order).toEqual(done.body.order)

    const sold = (await merchant('GET', '/orders?kind=purchase')).body.orders
    expect(sold).toHaveLength(1)
    expect(sold[0].id).toBe(done.body.order.label)
    expect(
      sold[0].line_items.map(({ item, quantity }: Json) => [item.id, item.quantity_unit.unit, quantity.total]),
    ).toEqual([
      [source.id, 'BX', 1],
      [source.id, 'EA', 2],
    ])
    const bought = (await buyer.call('GET', `/orders/${done.body.order.id}`)).body
    expect(bought.totals.find(({ type }: Json) => type === 'total').amount).toBe(total)
    const { problems } = await audit(buyer.ctx, { askSupplier: true })
    expect(problems).toEqual([])
  },
)

test.each(['rest', 'mcp'] as const)(
  'over %s, what the owner of the merchant must approve is handed to a person, and found once it is bought there',
  { timeout: PATIENCE },
  async (transport) => {
    const { merchant, buyer } = await startBoth(transport)
    const product = (await productsOf(buyer.call, SHOP)).find(({ variants: [variant] }: Json) => {
      const box = variant.sale_units.find(({ unit }: Json) => unit === 'BX')
      return variant.availability.available && box && box.price.amount < 5_000
    })
    const box = product.variants[0].sale_units.find(({ unit }: Json) => unit === 'BX')
    // Above what the merchant's guardrails let an agent buy, within those of the buyer once its owner agrees.
    const quantity = Math.ceil(60_000 / box.price.amount)
    const created = await buyer.call('POST', '/checkout-sessions', {
      line_items: [{ item: { id: product.id }, quantity, quantity_unit: { unit: 'BX' } }],
      fulfillment: SHIP_TO,
    })
    const [waiting] = Object.values(created.body.actions ?? {}).flat() as Json[]
    await buyer.call('POST', `/approvals/${waiting.id}`, { approved: true })
    const handed = await buyer.call('POST', `/checkout-sessions/${created.body.id}/complete`, { confirm: true })
    expect([handed.status, handed.body.status]).toEqual([200, 'complete_in_progress'])
    expect(handed.body.messages.map(({ code }: Json) => code)).toContain('handoff')
    expect((await merchant('GET', '/orders?kind=purchase')).body.orders).toEqual([])

    // The owner of the merchant agrees, and the purchase is completed there.
    const id = /[^/?#=]+$/.exec(handed.body.continue_url)?.[0] ?? ''
    const session = (await merchant('GET', `/checkout-sessions/${id}`)).body
    const [decision] = Object.values(session.actions).flat() as Json[]
    await merchant('POST', `/approvals/${decision.id}`, { approved: true })
    const bought = await merchant('POST', `/checkout-sessions/${id}/complete`, { confirm: true })
    expect(bought.body.status).toBe('completed')

    const found = await buyer.call('POST', `/checkout-sessions/${created.body.id}/complete`, { confirm: true })
    expect([found.body.status, found.body.order.label]).toEqual(['completed', bought.body.order.id])
    expect((await merchant('GET', '/orders?kind=purchase')).body.orders).toHaveLength(1)
  },
)
