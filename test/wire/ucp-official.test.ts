/** Our extension schemas compose with the official ones, and both agree with the shapes we answer with. */
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProductDetail, ProductList } from '../../src/contract/shapes/catalog.ts'
import {
  Checkout,
  CheckoutCompleteRequest,
  CheckoutCreateRequest,
  CheckoutUpdateRequest,
} from '../../src/contract/shapes/checkout.ts'
import { ErrorResponse } from '../../src/contract/common.ts'
import { Profile } from '../../src/contract/shapes/discovery.ts'
import { LocationList } from '../../src/contract/shapes/location.ts'
import { Order } from '../../src/contract/shapes/order.ts'
import { officialIsHere, openOfficial, SHARED } from '../support/official.ts'
import type { Official } from '../support/official.ts'

if (!officialIsHere) console.log(`the official UCP schemas are not at ${SHARED}: their checks are left out`)

/** Sample → its official type, and our shape of it. */
const SAMPLES: readonly (readonly [sample: string, type: string, shape: TSchema])[] = [
  ['profile', 'profile', Profile],
  ['catalogSearch', 'catalog.search', ProductList],
  ['catalogSearchMachine', 'catalog.search', ProductList],
  ['catalogLookup', 'catalog.lookup', ProductList],
  ['catalogProduct', 'catalog.product', ProductDetail],
  ['checkoutReady', 'checkout', Checkout],
  ['checkoutIncomplete', 'checkout', Checkout],
  ['checkoutEscalated', 'checkout', Checkout],
  ['checkoutCompleted', 'checkout', Checkout],
  ['checkoutExpired', 'checkout', Checkout],
  ['orderPurchase', 'order', Order],
  ['orderCancelled', 'order', Order],
  ['orderSaleRefunded', 'order', Order],
  ['locationSearch', 'location.search', LocationList],
  ['locationLookup', 'location.lookup', LocationList],
  ['errorMissing', 'error', ErrorResponse],
]

const OUR_CHECKOUT = ['dev.ucp.shopping.fulfillment', 'com.example.vending.sku', 'com.example.vending.approval']

const REQUESTS: readonly (readonly [sample: string, type: string, shape: TSchema])[] = [
  ['createRequest', 'checkout.create', CheckoutCreateRequest],
  ['updateRequest', 'checkout.update', CheckoutUpdateRequest],
  ['completeRequest', 'checkout.complete', CheckoutCompleteRequest],
]

const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)

const problems = (shape: TSchema, value: unknown) => {
  const validate = ajv.compile(shape)
  return validate(value)
    ? []
    : validate.errors?.map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`)
}

/** A copy with one value put at a path. */
function changed(document: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(document) as Record<string | number, unknown>
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>
  const last = path.at(-1)
  if (last === undefined) throw new Error('a path is needed')
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

describe.skipIf(!officialIsHere)('our extensions beside the official schemas', () => {
  let official: Official
  beforeAll(async () => {
    official = await openOfficial()
  })
  afterAll(() => official.close())

  test.each(SAMPLES)('9 %s satisfies the official %s, our extensions of it and our own shape', (name, type, shape) => {
    const sample = official.samples[name]
    const verdict = official.validator.validate(type, sample)
    expect(verdict.errors).toEqual([])
    expect(verdict.lint.filter((finding) => finding.level === 'must')).toEqual([])
    expect(problems(shape, sample)).toEqual([])
  })

  test('9 every extension named in an answer takes part in judging it', () => {
    const extensions = (name: string, type: string) =>
      official.validator.validate(type, official.samples[name]).extensions.toSorted()
    expect(extensions('catalogSearchMachine', 'catalog.search')).toEqual([
      'com.example.vending.inventory',
      'com.example.vending.sku',
    ])
    expect(extensions('checkoutReady', 'checkout')).toEqual([
      'com.example.vending.approval',
      'com.example.vending.sku',
      'dev.ucp.shopping.fulfillment',
    ])
    expect(extensions('orderPurchase', 'order')).toEqual(['com.example.vending.order', 'com.example.vending.sku'])
    expect(extensions('locationLookup', 'location.lookup')).toEqual(['com.example.vending.location'])
  })

  test.each(REQUESTS)(
    '4.4 %s is a good %s request to the official schema, our extensions and us',
    (name, type, shape) => {
      const sample = official.samples[name]
      expect(official.validator.validate(type, sample, { ext: OUR_CHECKOUT }).errors).toEqual([])
      expect(problems(shape, sample)).toEqual([])
    },
  )

  test.each([
    ['checkoutReady', 'checkout', ['vendor'], 'acme'],
    ['checkoutEscalated', 'checkout', ['actions', 'com.example.vending.approval'], []],
    ['catalogSearch', 'catalog.search', ['products', 0, 'variants', 0, 'sale_units', 0, 'price'], undefined],
    ['catalogLookup', 'catalog.lookup', ['products', 0, 'variants', 0, 'aliases', 0, 'source'], 'guessed'],
    ['catalogProduct', 'catalog.product', ['product', 'variants', 0, 'sale_units', 0, 'unit'], 'KGM'],
    ['catalogSearchMachine', 'catalog.search', ['products', 0, 'variants', 0, 'inventory', 'slot_id'], undefined],
    ['locationSearch', 'location.search', ['locations', 0, 'placement'], 'underwater'],
    ['locationLookup', 'location.lookup', ['locations', 0, 'online'], 'yes'],
    ['orderPurchase', 'order', ['kind'], 'gift'],
    ['orderPurchase', 'order', ['supplier_status', 'mapped'], 'lost'],
  ] as const)('9 a wrong extension field of %s (%s) is found at %j', (name, type, path, value) => {
    expect(official.validator.validate(type, changed(official.samples[name], path, value)).valid).toBe(false)
  })

  test('4.4 completing without the literal confirm is refused by the published schema, too', () => {
    for (const confirm of [undefined, 'true', 1, false]) {
      const request = changed(official.samples['completeRequest'], ['confirm'], confirm)
      expect(official.validator.validate('checkout.complete', request, { ext: OUR_CHECKOUT }).valid).toBe(false)
    }
  })

  test('2.8 a replenishment run reads as an order', () => {
    const { ucp: _, ...order } = official.samples['orderPurchase'] ?? {}
    const run = {
      ...order,
      ucp: {
        version: '2026-08-25',
        status: 'success',
        capabilities: { 'com.example.vending.replenishment': [{ version: '2026-09-10' }] },
      },
      status: 'placed',
      cost_is_estimated: true,
    }
    const verdict = official.validator.validate('order', run)
    expect(verdict.errors).toEqual([])
    expect(verdict.extensions).toEqual(['com.example.vending.replenishment'])
    expect(official.validator.validate('order', { ...run, status: 'lost' }).valid).toBe(false)
  })
})
