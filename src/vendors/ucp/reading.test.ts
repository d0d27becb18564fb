/** What merchants state: settings, products, totals, refusals, MCP replies. */
import { describe, expect, test } from 'vitest'
import { expectFailure, expectValue, granted } from '../../../test/contracts/adapter-kit.ts'
import { scriptedUpstream } from '../../../test/contracts/scripted-upstream.ts'
import { ucpMerchant, ucpProduct } from '../../../test/contracts/ucp-merchant.ts'
import { officialValidator } from '../../../test/support/official.ts'
import { succeed } from '../result.ts'
import { list } from '../upstream/read-json.ts'
import { readRow } from '../upstream/rows.ts'
import { readRpcReply } from './merchant.ts'
import { failureOfErrors, failureOfRpcError, failureOfStatus } from './refusals.ts'
import { checkSettings } from './settings.ts'
import { readTotals } from './totals.ts'
import { connect, testSettings, usdOrder } from './ucp.test-support.ts'
import { toRows, variantReader } from './variants.ts'

describe('settings', () => {
  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ instrument: undefined }, ['instrument is missing: without it only mode handoff is possible']],
    [{ mode: 'handoff', instrument: undefined, handler: undefined }, []],
    [{ mode: 'handoff' }, ['instrument and handler are for mode complete only: in a hand-off a person pays']],
    [{ api_key: 'k' }, ['api_key and bearer exclude each other']],
    [{ url: 'shop' }, ['url must be an http or https URL without a user name and password']],
    [{ surprise: 1 }, ['has an unknown field "surprise"']],
    [{ units: { a: { contains: 1 } } }, ['units.a.contains must be a whole number from 2 to 10000']],
    [{ catalog: { file: 'x.csv' } }, ['catalog.columns is missing']],
    [
      { catalog: { file: 'x.csv' }, assortment: { ids: ['a'] } },
      ['assortment and catalog exclude each other', 'catalog.columns is missing'],
    ],
  ])('%j', (over, expected) => {
    const given = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined))
    const absent = Object.keys(over).filter((key) => !(key in given))
    const settings = Object.fromEntries(
      Object.entries({ ...testSettings('https://shop.example'), ...given }).filter(([key]) => !absent.includes(key)),
    )
    const checked = checkSettings(settings)
    expect(checked.ok ? [] : checked.problems).toEqual(expected)
  })
})

describe('totals', () => {
  const total = (...entries: (readonly [string, number])[]) =>
    readTotals(entries.map(([type, amount]) => ({ type, amount })))
  test('discounts lower the subtotal, whatever their sign, and unknown kinds are fees', () => {
    const expected = { subtotal: 5850, fulfillment: 100, tax: 50, fee: 25, total: 6025 }
    const rest = [
      ['fulfillment', 100],
      ['tax', 50],
      ['deposit', 25],
      ['total', 6025],
    ] as const
    expect(total(['subtotal', 6500], ['discount', 650], ...rest)).toEqual(expected)
    expect(total(['subtotal', 6500], ['discount', -600], ['items_discount', -50], ...rest)).toEqual(expected)
  })
  test.each<[string, readonly (readonly [string, number])[]]>([
    [
      'a sum that does not hold',
      [
        ['subtotal', 100],
        ['tax', 1],
        ['total', 100],
      ],
    ],
    ['no total', [['subtotal', 100]]],
    [
      'two totals',
      [
        ['subtotal', 100],
        ['total', 100],
        ['total', 100],
      ],
    ],
    [
      'a part of a cent',
      [
        ['subtotal', 100.5],
        ['total', 100.5],
      ],
    ],
    [
      'a total below nothing',
      [
        ['subtotal', 100],
        ['discount', -200],
        ['total', -100],
      ],
    ],
  ])('%s says nothing about what would be charged', (_name, entries) => {
    expect(total(...entries)).toBeUndefined()
  })
})

describe('products', () => {
  const read = (variant: object, units = {}) => {
    const [row] = toRows({ products: [ucpProduct('v', variant as Record<string, unknown>)] })
    return readRow(row, variantReader('USD', units))
  }
  const usd = (amount: number) => ({ amount, currency: 'USD' })

  test('a box with its content, beside single pieces', () => {
    const units = [
      { unit: 'EA', display_text: 'each', price: usd(120), price_derived: true },
      { unit: 'BX', display_text: 'box', contains: 24, price: usd(2880) },
    ]
    expect(read({ sale_units: units })).toMatchObject({
      product: { packSize: 24, packPriceFen: 2880, eachPriceFen: 120, eachPriceDerived: true, units: 'both' },
      units: { each: null, pack: { unit: 'BX', display_text: 'box' } },
    })
  })
  test('a pack that is a variant of its own, as the settings say', () => {
    expect(read({}, { v: { contains: 12 } })).toMatchObject({
      product: { packSize: 12, packPriceFen: 120, eachPriceFen: 10, eachPriceDerived: true, units: 'pack' },
      units: { pack: null },
    })
  })
  test('a unit of which the content is not known is left out', () => {
    expect(read({ quantity_unit: { unit: 'CS', display_text: 'case' } })).toMatchObject({ product: undefined })
    expect(
      read({ quantity_unit: { unit: 'KGM', scale: 3, display_text: 'kg' } }, { v: { contains: 2 } }),
    ).toMatchObject({ product: undefined })
  })
  test('another currency is unreadable, nothing is not for sale, and so is what is not available', () => {
    expect(read({ price: { amount: 1, currency: 'EUR' } })).toMatchObject({
      unreadable: { problem: 'its price cannot be read' },
    })
    expect(read({ price: usd(0) })).toMatchObject({ product: { isForSale: false } })
    expect(read({ availability: { available: false } })).toMatchObject({ product: { isForSale: false } })
  })
})

describe('an assortment', () => {
  test('by ids in batches that the merchant takes, by searches page by page, each product once', async () => {
    const merchant = await ucpMerchant({ official: await officialValidator() })
    merchant.products = Array.from({ length: 45 }, (_, i) => ucpProduct(`P${i}`))
    Object.assign(merchant, { lookupMax: 6, pageSize: 7 })
    const ids = merchant.products.slice(0, 30).map(({ id }) => String(id))
    const shop = connect(merchant.url, { assortment: { ids, queries: ['product p4'] } }, { timeoutMs: 5_000 })
    const { products } = expectValue(await shop.vendor.catalog())
    expect(products.map(({ vendorSku }) => vendorSku)).toEqual([...ids, 'P40', 'P41', 'P42', 'P43', 'P44'])
    const all = connect(merchant.url, {}, { timeoutMs: 5_000 })
    expect(expectValue(await all.vendor.catalog()).products).toHaveLength(45)
    expect(merchant.violations).toEqual([])
    for (const each of [shop, all]) await each.vendor.close()
    await merchant.close()
  })

  test('an empty list means none: beside ids only those, alone nothing', async () => {
    const merchant = await ucpMerchant()
    merchant.products = Array.from({ length: 3 }, (_, i) => ucpProduct(`P${i}`))
    const skus = async (assortment: object) => {
      const shop = connect(merchant.url, { assortment }, { timeoutMs: 5_000 })
      const { products } = expectValue(await shop.vendor.catalog())
      await shop.vendor.close()
      return products.map(({ vendorSku }) => vendorSku)
    }
    expect(await skus({ ids: ['P1'], queries: [], categories: [] })).toEqual(['P1'])
    expect(await skus({ queries: [] })).toEqual([])
    expect(await skus({ filters: {} })).toHaveLength(3)
    await merchant.close()
  })

  test('a page with more rows than we accept is no catalog', async () => {
    const merchant = await ucpMerchant()
    const product = ucpProduct('P')
    merchant.products = [{ ...product, variants: Array.from({ length: 5_001 }, () => ({ id: 'P' })) }]
    const shop = connect(merchant.url, {}, { timeoutMs: 10_000 })
    expect(await shop.vendor.catalog()).toMatchObject({ ok: false, reason: 'unknown', raw: '50000 rows' })
    await shop.vendor.close()
    await merchant.close()
  })
})

describe('refusals', () => {
  const messages = (code: string) => ({ messages: [{ type: 'error', code, content: 'text', severity: 'recoverable' }] })
  test.each<[number, unknown, string | undefined]>([
    [400, messages('invalid'), 'rejected'],
    [402, { detail: 'declined' }, 'rejected'],
    [404, messages('not_found'), 'rejected'],
    [409, messages('not_editable'), 'rejected'],
    [409, messages('idempotency_mismatch'), 'unknown'],
    [409, { detail: 'Idempotency key reused' }, 'unknown'],
    [422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'rejected'],
    [424, messages('profile_unreachable'), 'rejected'],
    [401, messages('unauthorized'), 'unauthorized'],
    [403, { code: 'forbidden', content: 'no' }, 'unauthorized'],
    [429, messages('rate_limited'), 'limited'],
    [418, messages('teapot'), undefined],
    [404, undefined, undefined],
    [404, '<html>', undefined],
    [400, { messages: [{ type: 'warning', code: 'x', content: 'y' }] }, undefined],
  ])('HTTP %i with %j is %s', (status, body, reason) => {
    expect(failureOfStatus(status, body)?.reason).toBe(reason)
  })
  test('of a message inside a success, and of JSON-RPC', () => {
    expect(failureOfErrors([{ code: 'out_of_stock', text: 'gone', needsBuyer: false }])).toMatchObject({
      reason: 'rejected',
      raw: 'out_of_stock',
    })
    expect(failureOfErrors([])).toMatchObject({ reason: 'rejected' })
    for (const [code, status, reason] of [
      [-32602, 200, 'rejected'],
      [-32001, 400, 'unknown'],
      [-32000, 401, 'unauthorized'],
      [-32000, 429, 'limited'],
      [-32000, 409, 'unknown'],
      [-32603, 200, 'unknown'],
    ] as const)
      expect(failureOfRpcError({ code, message: 'no' }, status).reason).toBe(reason)
    // MCP libraries answer a request that took too long with the same code; it may have bought.
    expect(failureOfRpcError({ code: -32001, message: 'Request timed out', data: { timeout: 60 } }, 200).reason).toBe(
      'unknown',
    )
    expect(failureOfRpcError({ code: -32001, message: 'no', data: { code: 'discovery_failed' } }, 200).reason).toBe(
      'rejected',
    )
  })
})

describe('MCP replies', () => {
  const inner = {
    ucp: { version: '2026-08-25' },
    products: [ucpProduct('water')],
    pagination: { has_next_page: false },
  }
  const envelope = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result })
  const asText = { content: [{ type: 'text', text: JSON.stringify(inner) }] }
  test.each<[string, (id: unknown) => string, number | undefined]>([
    ['as one object', (id) => envelope(id, { structuredContent: inner }), 1],
    ['as text inside the result', (id) => envelope(id, asText), 1],
    [
      'as a stream of events',
      (id) =>
        `event: message\ndata: {"jsonrpc":"2.0","method":"x"}\n\nevent: message\ndata: ${envelope(id, asText)}\n\n`,
      1,
    ],
    ['with another id', () => envelope('another', { structuredContent: inner }), undefined],
    ['without an object', (id) => envelope(id, { content: [{ type: 'text', text: 'sorry' }] }), undefined],
    ['without a result', (id) => JSON.stringify({ jsonrpc: '2.0', id }), undefined],
  ])('%s', (_name, answer, products) => {
    const read = () =>
      readRpcReply(answer('rpc-1'), 'rpc-1', (payload) => succeed(list(payload['products'], 'products').length))
    if (products === undefined) expect(read).toThrow(/id|object|JSON/)
    else expect(expectValue(read())).toBe(products)
  })
})

test('a merchant that cannot be read at all leaves an order unsent', async () => {
  const upstream = await scriptedUpstream(() => ({ hello: 'world' }))
  const shop = connect(upstream.url)
  expectFailure(await shop.vendor.catalog(), 'unknown')
  expectFailure(await shop.vendor.createOrder(usdOrder('po_1'), granted), 'unsent')
  await shop.vendor.close()
  await upstream.close()
})
