import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idempotencyKey, uuidV5 } from './place-order.ts'
import { readMerchantProfile } from './merchant-profile.ts'
import { readSession } from './merchant-session.ts'
import { toVariantId, toVendorSku } from './variant-id.ts'

const URL_OF_SHOP = 'https://shop.example'
const SAMPLE = {
  ucp: {
    version: '2026-01-11',
    services: {
      'dev.ucp.shopping': { version: '2026-01-11', rest: { schema: 'x', endpoint: 'http://localhost:3000/ucp/' } },
    },
    capabilities: [{ name: 'dev.ucp.shopping.checkout', version: '2026-01-11' }],
  },
  payment: { handlers: [{ id: 'mock', name: 'com.mock' }] },
}
const NEWER = {
  ucp: {
    version: '2026-04-08',
    services: {
      'dev.ucp.shopping': [
        { version: '2026-04-08', transport: 'mcp', endpoint: 'https://shop.example/api/ucp/mcp' },
        { version: '2026-04-08', transport: 'rest', endpoint: 'https://shop.example/ucp/v1' },
      ],
    },
    capabilities: { 'dev.ucp.shopping.checkout': [{ version: '2026-04-08' }], 'dev.ucp.shopping.order': [{}] },
    payment_handlers: { 'com.example.invoice': [{ id: 'invoice', version: '2026-04-08' }] },
  },
}

describe('the profile of a merchant', () => {
  test('of 2026-01-11: the path of its endpoint at the origin of the settings', () => {
    expect(readMerchantProfile(SAMPLE, URL_OF_SHOP)).toEqual({
      version: '2026-01-11',
      transport: 'rest',
      endpoint: 'https://shop.example/ucp',
      statedOrigin: 'http://localhost:3000',
      capabilities: new Set(['dev.ucp.shopping.checkout']),
      handlers: [{ id: 'mock', name: 'com.mock' }],
      signingKeys: [],
    })
  })

  test('from 2026-04-08 on: REST before MCP', () => {
    expect(readMerchantProfile(NEWER, URL_OF_SHOP)).toEqual({
      version: '2026-04-08',
      transport: 'rest',
      endpoint: 'https://shop.example/ucp/v1',
      capabilities: new Set(['dev.ucp.shopping.checkout', 'dev.ucp.shopping.order']),
      handlers: [{ id: 'invoice', name: 'com.example.invoice' }],
      signingKeys: [],
    })
  })

  test('a shop that speaks MCP only', () => {
    const [mcp] = NEWER.ucp.services['dev.ucp.shopping']
    const profile = { ucp: { ...NEWER.ucp, services: { 'dev.ucp.shopping': [mcp] } } }
    expect(readMerchantProfile(profile, URL_OF_SHOP)).toMatchObject({
      transport: 'mcp',
      endpoint: 'https://shop.example/api/ucp/mcp',
    })
  })

  test.each([
    ['no object', []],
    ['no version', { ucp: { ...NEWER.ucp, version: undefined } }],
    ['a version that is no date', { ucp: { ...NEWER.ucp, version: '1.0' } }],
    ['no shopping service', { ucp: { ...NEWER.ucp, services: {} } }],
    [
      'a transport that we do not speak',
      { ucp: { ...NEWER.ucp, services: { 'dev.ucp.shopping': [{ transport: 'a2a' }] } } },
    ],
  ])('with %s is unreadable', (_, profile) => {
    expect(() => readMerchantProfile(profile, URL_OF_SHOP)).toThrow(/is not|has no/)
  })
})

describe('idempotency keys', () => {
  const step = { namespace: 'shop-supply', ref: 'po_1', attempt: 1, step: 'create' } as const

  test('are UUIDs of version 5', () => {
    // The example of RFC 9562, in the name space of URLs instead of names.
    expect(uuidV5('http://www.example.com/')).toBe('fcde3c85-2270-590f-9e7c-ee003d65e0e2')
    expect(idempotencyKey(step)).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  test('are the same for a retry and differ for everything else', () => {
    expect(idempotencyKey({ ...step })).toBe(idempotencyKey(step))
    const others = [
      { ...step, step: 'complete' },
      { ...step, attempt: 2 },
      { ...step, ref: 'po_11' },
      { ...step, namespace: 'shop-supply/po_1', ref: '1' },
    ] as const
    expect(new Set([step, ...others].map((each) => idempotencyKey(each))).size).toBe(5)
  })
})

test('any variant id is a SKU that gives it back', () => {
  expect(toVendorSku('gid://shopify/ProductVariant/1 a%')).toBe('gid%3A//shopify/ProductVariant/1%20a%25')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
      expect(toVendorSku(id)).toMatch(/^[^:\s]+$/)
      expect(toVariantId(toVendorSku(id))).toBe(id)
    }),
  )
  expect(() => toVariantId('%E0%A4%A')).toThrow('not one of this merchant')
})

test('the session of the official sample is read: an older version in its replies, and the order as `order_id`', () => {
  const session = {
    ucp: { version: '2022-01-01', capabilities: [] },
    id: 'chk_1',
    status: 'completed',
    currency: 'USD',
    line_items: [{ id: 'li_1', item: { id: 'bouquet_roses', title: 'Roses', price: 3500 }, quantity: 1 }],
    totals: [
      { type: 'subtotal', amount: 3500 },
      { type: 'total', amount: 3500 },
    ],
    order_id: 'ord_1',
  }
  expect(readSession(session)).toMatchObject({ status: 'completed', orderId: 'ord_1', lines: [{ quantity: 1 }] })
  expect(readSession({ ...session, order_id: undefined, order: { id: 'ord_2' } })).toMatchObject({ orderId: 'ord_2' })
})
