import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { SEVERITY } from '../kernel/message.ts'
import { ACTIVE, CAPABILITIES, capabilityNames, documentsOf, isCapability, versionOf } from './capabilities.ts'
import { success } from './envelope.ts'
import { EXAMPLES } from '../api-docs/examples.ts'
import type { Operation } from './operation.ts'
import { withCurrency } from './deployment-currency.ts'
import { OPERATIONS, operationIds } from './operations.ts'
import { STATUS } from './status.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)
const accepts = (shape: TSchema, value: unknown) => ajv.compile(shape)(value)

const rows: readonly (readonly [string, Operation])[] = operationIds.map((id) => [id, OPERATIONS[id]])

describe('the operations table', () => {
  test('4 has every endpoint of the contract', () => {
    const contract = [
      'GET /.well-known/ucp',
      'GET /namespaces',
      'POST /catalog/search',
      'POST /catalog/lookup',
      'POST /catalog/product',
      'GET /skus/{sku_id}',
      'POST /skus/resolve',
      'PUT /skus/{sku_id}/aliases',
      'POST /locations/search',
      'POST /locations/lookup',
      'POST /locations/sync',
      'PUT /locations/{id}',
      'DELETE /locations/{id}',
      'POST /checkout-sessions',
      'GET /checkout-sessions/{id}',
      'PUT /checkout-sessions/{id}',
      'POST /checkout-sessions/{id}/complete',
      'POST /checkout-sessions/{id}/cancel',
      'GET /orders/{id}',
      'GET /orders',
      'PUT /locations/{id}/prices',
      'GET /replenishment/plan',
      'GET /replenishment/runs',
      'POST /replenishment/runs',
      'GET /replenishment/runs/{id}',
      'POST /replenishment/runs/{id}/place',
      'POST /replenishment/runs/{id}/receive',
      'GET /replenishment/score',
      'GET /replenishment/trips',
      'POST /locations/{id}/restock-recommendations',
      'GET /approvals',
      'GET /approvals/{id}',
      'POST /approvals/{id}',
      'GET /events',
      'POST /events',
    ]
    const ours = [
      'GET /checkout-sessions',
      'GET /namespaces/{namespace}/locations',
      'GET /connections',
      'GET /connections/{namespace}/packs',
      'PUT /connections/{namespace}/packs',
      'GET /connections/kinds',
      'GET /connections/{namespace}',
      'POST /connections',
      'PUT /connections/{namespace}',
      'DELETE /connections/{namespace}',
      'POST /connections/{namespace}/test',
      'POST /connections/test',
      'GET /connections/{namespace}/files',
      'POST /connections/{namespace}/files',
      'PUT /connections/{namespace}/locations/{id}/selections',
      'PUT /connections/{namespace}/files/{id}',
      'GET /overview',
      'GET /locations/{id}/history',
      'POST /checkout-sessions/{id}/outcome',
      'GET /sales/daily',
      'GET /cash',
      'GET /earn',
      'GET /holidays',
      'PUT /holidays/{date}',
      'GET /profit',
      'PUT /locations/{id}/slots/{slot_id}',
      'PUT /skus/{sku_id}/phase-out',
      'GET /replenishment/layouts',
      'POST /replenishment/layouts',
      'PUT /replenishment/layouts/{id}',
      'GET /replenishment/swaps',
      'POST /replenishment/swaps',
      'PUT /replenishment/swaps/{slot_id}',
      'GET /locations/{id}/calendar',
      'PUT /locations/{id}/calendar',
      'POST /replenishment/runs/{id}/cancel',
      'POST /replenishment/runs/{id}/visits/{location}/receive',
      'GET /replenishment/runs/{id}/pick-list',
      'POST /locations/{id}/service',
      'PUT /skus/{sku_id}/shelf-life',
      'GET /storeroom',
      'PUT /storeroom/products/{sku_id}',
      'GET /storeroom/movements',
      'POST /orders/{id}/receive',
      'POST /locations/{id}/service/{service_id}/undo',
      'POST /locations/{id}/reports',
      'GET /locations/{id}/reports',
      'POST /locations/{id}/reports/{report_id}/fix',
      'GET /guardrails',
      'PUT /guardrails',
      'GET /guardrails/changes',
      'POST /guardrails/stop',
      'POST /guardrails/release',
      'GET /settings',
      'PUT /settings',
      'POST /approvals',
      'GET /operator',
      'PUT /operator',
      'POST /operator/shifts',
      'GET /operator/shifts',
      'GET /operator/shifts/{id}',
      'GET /operator/shifts/{id}/transcript',
      'GET /notes',
      'GET /notes/{name}',
      'PUT /notes/{name}',
      'DELETE /notes/{name}',
      'POST /reminders',
      'GET /pricing/experiments',
      'POST /pricing/experiments',
      'POST /pricing/experiments/{id}/end',
      'GET /webhooks',
      'POST /webhooks/{id}/redeliver',
      'POST /signin',
      'POST /signout',
      'POST /first-owner',
      'POST /passkey-challenge',
      'GET /me',
      'GET /me/passkeys',
      'POST /me/passkeys',
      'POST /me/passkeys/challenge',
      'DELETE /me/passkeys/{id}',
      'GET /people',
      'POST /people',
      'DELETE /people/{id}',
    ]
    const listed = rows.map(([, row]) => `${row.method} ${row.path}`)
    expect(listed.toSorted()).toEqual([...contract, ...ours].toSorted())
  })

  test('5 only discovery, signing in and out, and becoming the first owner need no token', () => {
    expect(rows.filter(([, row]) => row.public).map(([id]) => id)).toEqual([
      'discovery',
      'signIn',
      'signOut',
      'becomeFirstOwner',
      'startPasskey',
    ])
  })

  test('5 anyone may call exactly the operations that need no token', () => {
    expect(rows.filter(([, row]) => row.roles === 'anyone').map(([id]) => id)).toEqual([
      'discovery',
      'signIn',
      'signOut',
      'becomeFirstOwner',
      'startPasskey',
    ])
  })

  test('4 a POST that only reads is not a write; everything else that is not a GET is one', () => {
    const reading = rows.filter(([, row]) => row.method !== 'GET' && !row.write).map(([id]) => id)
    expect(reading).toEqual([
      'testConnection',
      'tryConnection',
      'searchCatalog',
      'lookupCatalog',
      'getProduct',
      'resolveSkus',
      'searchLocations',
      'lookupLocations',
      'signIn',
      'signOut',
      'becomeFirstOwner',
      'startPasskey',
      'offerPasskey',
    ])
  })

  test('1 exactly the two operations that spend or reprice ask for a confirmation, and accepting a layout or a swap', () => {
    const asking = rows.filter(([, row]) => row.body && 'confirm' in row.body.properties).map(([id]) => id)
    expect(asking).toEqual([
      'completeCheckout',
      'changePrices',
      'startExperiment',
      'endExperiment',
      'acceptLayout',
      'acceptSwap',
    ])
    for (const id of asking) expect(rows.find(([name]) => name === id)?.[1].codes).toContain('confirmation_required')
  })

  test.each(rows)('%s declares the parameters of its path and no others', (_, row) => {
    const named = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(row.params?.properties ?? {})).toEqual(named)
  })

  test.each(rows)('%s names each code once', (_, row) => {
    expect(new Set(row.codes).size).toBe(row.codes.length)
  })

  test.each(rows)('%s shows an example that it would accept', (id, row) => {
    const example = Object.entries(EXAMPLES).find(([name]) => name === id)?.[1]
    expect(row.params === undefined || accepts(row.params, example?.params)).toBe(true)
    expect(row.query === undefined || accepts(row.query, example?.query ?? {})).toBe(true)
    expect(row.body === undefined || accepts(row.body, example?.body)).toBe(true)
  })

  test.each(rows)('2.3 the answer of %s carries ucp and is closed against leaks', (_, row) => {
    expect(row.returns).toMatchObject({ type: 'object', additionalProperties: false })
    expect(row.returns).toHaveProperty('required', expect.arrayContaining(['ucp']))
  })
})

/** Every place in a schema where a caller may put a text, a list or a number, with where it stands. */
function* parts(schema: unknown, path = '$'): Generator<readonly [path: string, part: Record<string, unknown>]> {
  if (typeof schema !== 'object' || schema === null) return
  const part: Record<string, unknown> = { ...schema }
  yield [path, part]
  if (typeof part['properties'] === 'object' && part['properties'] !== null)
    for (const [name, inner] of Object.entries(part['properties'])) yield* parts(inner, `${path}.${name}`)
  if ('items' in part) yield* parts(part['items'], `${path}[]`)
  if (Array.isArray(part['anyOf'])) for (const inner of part['anyOf']) yield* parts(inner, path)
}

describe('what callers may send', () => {
  const requests = rows.flatMap(([id, row]) =>
    [row.params, row.query, row.body].flatMap((shape) => (shape ? Array.from(parts(shape, id)) : [])),
  )

  test('8 every text is bounded', () => {
    const unbounded = requests.filter(
      ([, part]) =>
        part['type'] === 'string' &&
        part['enum'] === undefined &&
        part['maxLength'] === undefined &&
        part['format'] !== 'date-time' &&
        !String(part['pattern']).includes('{1,64}'),
    )
    expect(unbounded.map(([path]) => path)).toEqual([])
  })

  test('8 every list is bounded', () => {
    const unbounded = requests.filter(([, part]) => part['type'] === 'array' && part['maxItems'] === undefined)
    expect(unbounded.map(([path]) => path)).toEqual([])
  })

  test('4 unknown fields are accepted everywhere', () => {
    expect(requests.filter(([, part]) => part['additionalProperties'] === false).map(([path]) => path)).toEqual([])
  })

  test('4.4 only the JSON literal true confirms', () => {
    const complete = OPERATIONS.completeCheckout.body
    expect(accepts(complete, { confirm: true })).toBe(true)
    for (const confirm of ['true', 1, false, null, [true], {}]) expect(accepts(complete, { confirm })).toBe(false)
    expect(accepts(complete, {})).toBe(false)
  })

  test('8 a batch holds 1 to 50 ids, of locations up to 50', () => {
    const ids = (count: number) => ({ ids: Array.from({ length: count }, (_, n) => `acme-supply:${n}`) })
    const accepted = (body: Parameters<typeof accepts>[0]) => [0, 1, 50, 51].map((count) => accepts(body, ids(count)))
    expect(accepted(OPERATIONS.lookupCatalog.body)).toEqual([false, true, true, false])
    expect(accepted(OPERATIONS.lookupLocations.body)).toEqual([true, true, true, false])
    const resolve = (count: number) => ({ ...ids(count), to_namespace: 'acme-machine' })
    expect([0, 1, 50, 51].map((count) => accepts(OPERATIONS.resolveSkus.body, resolve(count)))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('4.3 both forms of an item in a location filter are accepted; a spatial filter is refused', () => {
    const search = OPERATIONS.searchLocations.body
    expect(accepts(search, {})).toBe(true)
    expect(accepts(search, { filters: { items: [{ id: 'acme-machine:77' }] } })).toBe(true)
    expect(accepts(search, { filters: { items: ['acme-machine:77'] } })).toBe(true)
    expect(accepts(search, { filters: { items: ['water'] } })).toBe(false)
    expect(accepts(search, { distance: { center: {}, radius: 5 } })).toBe(false)
    expect(accepts(search, { serves: {} })).toBe(false)
  })

  test('4.6 a price is a positive integer in CNY', () => {
    const prices = (amount: unknown, currency: unknown = 'CNY') => ({
      prices: [{ item: { id: 'acme-machine:77' }, price: { amount, currency } }],
      confirm: true,
    })
    const shape = withCurrency(OPERATIONS.changePrices.body, 'CNY')
    expect(accepts(shape, prices(1))).toBe(true)
    for (const amount of [0, -1, 1.5, '450', null]) expect(accepts(shape, prices(amount))).toBe(false)
    expect(accepts(shape, prices(450, 'EUR'))).toBe(false)
  })

  test('8 the orders list returns at most 100; a larger limit is invalid', () => {
    expect([0, 1, 100, 101].map((limit) => accepts(OPERATIONS.listOrders.query, { limit }))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('8 sales_window_days is never below 21', () => {
    expect([20, 21].map((sales_window_days) => accepts(OPERATIONS.syncLocations.body, { sales_window_days }))).toEqual([
      false,
      true,
    ])
  })
})

describe('capabilities', () => {
  test('1 seven standard ones keep their names, eight are ours', () => {
    const kinds = capabilityNames.map((name) => CAPABILITIES[name].kind)
    expect(kinds.filter((kind) => kind === 'standard')).toHaveLength(7)
    expect(kinds.filter((kind) => kind === 'extension')).toHaveLength(8)
  })

  test('9 standard ones carry the version of the protocol, ours our own', () => {
    expect(versionOf('dev.ucp.shopping.checkout')).toBe('2026-08-25')
    expect(versionOf('com.example.vending.sku')).toBe('2026-09-10')
  })

  test('9 every parent of an extension is offered, too', () => {
    const parents = capabilityNames.flatMap((name): readonly string[] => {
      const capability = CAPABILITIES[name]
      return 'extends' in capability ? capability.extends : []
    })
    expect(parents.filter((parent) => !isCapability(parent))).toEqual([])
    expect(parents).not.toEqual([])
  })

  test('9 our documents lie under the configured base, official ones at their home', () => {
    expect(documentsOf('com.example.vending.sku', 'https://vending.example.com/schemas').schema).toBe(
      'https://vending.example.com/schemas/2026-09-10/sku.json',
    )
    expect(documentsOf('dev.ucp.common.location.search', 'https://elsewhere.example').schema).toBe(
      'https://ucp.dev/2026-08-25/schemas/common/location_search.json',
    )
  })

  test('2.3 the envelope names the active capabilities with their versions, and payment only where asked', () => {
    expect(success(ACTIVE.search)).toEqual({
      version: '2026-08-25',
      status: 'success',
      capabilities: {
        'dev.ucp.shopping.catalog.search': [{ version: '2026-08-25' }],
        'com.example.vending.sku': [{ version: '2026-09-10' }],
      },
    })
    expect(success(ACTIVE.checkout, true).payment_handlers).toEqual({
      'com.example.vending.on_account': [
        { id: 'supplier_account', version: '2026-09-10', available_instruments: [{ type: 'on_account' }] },
      ],
    })
  })
})

test('7 every error code has a severity and a status', () => {
  expect(Object.keys(STATUS).toSorted()).toEqual(Object.keys(SEVERITY).toSorted())
})
