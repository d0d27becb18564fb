import { describe, expect, test } from 'vitest'
import { type Namespace, parseNamespace } from '../kernel/ids.ts'
import { fail, failUnsupported } from './result.ts'
import type { MachineVendor } from './machine-vendor.ts'
import { silentLog } from '../kernel/log.ts'
import type { SupplyOrder, SupplyVendor } from './supply-vendor.ts'
import { registerLive, plannedVendor, registry, statedLeadDays } from './registry.ts'

const ns = (text: string): Namespace => {
  const namespace = parseNamespace(text)
  if (!namespace) throw new Error(`${text} is not a namespace`)
  return namespace
}

const supplier = (name: string): SupplyVendor => ({
  role: 'supply',
  catalog: () => Promise.resolve(fail('unauthorized', name)),
  createOrder: () => Promise.resolve(failUnsupported('createOrder')),
  orderStatus: () => Promise.resolve(failUnsupported('orderStatus')),
})
const platform = (): MachineVendor => ({
  role: 'machine',
  inventory: () => Promise.resolve(failUnsupported('inventory')),
  ledger: () => Promise.resolve(failUnsupported('ledger')),
  updatePrices: () => Promise.resolve(failUnsupported('updatePrices')),
  restockRecommend: () => Promise.resolve(failUnsupported('restockRecommend')),
})

const [acme, bolt] = [supplier('acme'), supplier('bolt')]
const cloud = platform()
const vendors = registry([
  plannedVendor(ns('later-supply')),
  registerLive(ns('acme-supply'), acme),
  registerLive(ns('bolt-supply'), bolt),
  registerLive(ns('acme-machine'), cloud),
  plannedVendor(ns('later-machine')),
])

test.each([
  ['nobody stated it', [undefined, undefined], 2],
  ['the one supplier stated it', [1], 1],
  ['the longest counts', [1, 4], 4],
  ['a supplier without a word has the configured days', [1, undefined], 2],
  ['stated as 0', [0], 0],
  ['no supplier', [], 2],
])('stated days until a delivery: %s', (_, stated, days) => {
  const entries = stated.map((leadDays, i) =>
    registerLive(ns(`s${i}-supply`), { ...acme, ...(leadDays !== undefined && { leadDays }) }),
  )
  // One that takes no orders delivers nothing.
  const listOnly = registerLive(ns('list-supply'), { ...acme, leadDays: 30 }, ['catalog'])
  expect(statedLeadDays(registry([...entries, listOnly, plannedVendor(ns('later-supply'))]), 2)).toBe(days)
})

describe('the namespace registry', () => {
  test('what an adapter answers at once is answered at once', () => {
    const journaled = registry([registerLive(ns('acme-supply'), { ...acme, journaledRefs: () => ['po_1'] })])
    const found = journaled.supply(ns('acme-supply'))
    expect(found.ok && found.value.journaledRefs?.(0)).toEqual(['po_1'])
  })

  test.each([
    ['by a promise', (thrown: Error) => Promise.reject(thrown)],
    [
      'at once',
      (thrown: Error) => {
        throw thrown
      },
    ],
  ])('an adapter that throws %s has not answered, and it is logged', async (_, raise) => {
    const logged: object[] = []
    const log = { ...silentLog, error: (fields: object) => void logged.push(fields) }
    const bug = new TypeError('a bug')
    const throwing: SupplyVendor = {
      ...acme,
      createOrder: () => raise(bug),
      recordPlaced: () => Promise.reject(bug),
      journaledRefs: () => {
        throw bug
      },
    }
    const found = registry([registerLive(ns('acme-supply'), throwing)], log).supply(ns('acme-supply'))
    if (!found.ok) throw new Error('not registered')
    expect(await found.value.createOrder({} as SupplyOrder, () => Promise.resolve(undefined))).toEqual({
      ok: false,
      reason: 'unknown',
      namespace: 'acme-supply',
      message: 'The supplier did not answer',
      raw: 'TypeError: a bug',
    })
    expect(logged).toEqual([{ err: bug, namespace: 'acme-supply', call: 'createOrder' }])
    await expect(found.value.recordPlaced?.('po_1', 'S-1')).rejects.toBe(bug)
    expect(() => found.value.journaledRefs?.(0)).toThrow(bug)
  })

  test('2.4 lists every namespace with vendor, role, status and capabilities', () => {
    expect(vendors.registrations).toMatchObject([
      { namespace: 'later-supply', vendor: 'later', role: 'supply', status: 'planned', capabilities: [] },
      { namespace: 'acme-supply', vendor: 'acme', role: 'supply', status: 'live' },
      { namespace: 'bolt-supply', status: 'live', capabilities: ['catalog', 'createOrder', 'orderStatus'] },
      { namespace: 'acme-machine', role: 'machine', status: 'live' },
      { namespace: 'later-machine', role: 'machine', status: 'planned', capabilities: [] },
    ])
  })

  test('4.1 the default of a role is its first live namespace', () => {
    expect(vendors.defaults).toEqual({ supply: 'acme-supply', machine: 'acme-machine' })
    expect(registry([plannedVendor(ns('later-supply'))]).defaults).toEqual({})
  })

  test.each(['acme', 'bolt'])('2.9 several suppliers, each reached by its own namespace: %s', async (name) => {
    const namespace = ns(`${name}-supply`)
    const found = vendors.supply(namespace)
    expect(found.ok && (await found.value.catalog()), 'a failure names the connection').toMatchObject({
      reason: 'unauthorized',
      message: name,
      namespace,
    })
    const machine = vendors.machine(ns('acme-machine'))
    expect(machine.ok && Object.keys(machine.value)).toEqual(Object.keys(cloud))
  })

  const refusals = [
    ['a namespace nobody registered', 'nobody-supply', 'invalid'],
    ['one that is planned', 'later-supply', 'namespace_unsupported'],
    ['one of the other role', 'acme-machine', 'namespace_mismatch'],
  ] as const
  test.each(refusals)('7 %s is refused at the place that named it', (_name, namespace, code) => {
    const found = vendors.supply(ns(namespace), '$.filters.namespace')
    expect(found).toMatchObject({ ok: false, refusal: { messages: [{ code, path: '$.filters.namespace' }] } })
  })

  test('2.9 a planned namespace may be named: looking it up is no failure', () => {
    expect(vendors.lookup(ns('later-machine'))).toMatchObject({ ok: true, value: { status: 'planned' } })
    expect(vendors.lookup(ns('nobody-machine'), '$.id')).toMatchObject({
      ok: false,
      refusal: { messages: [{ code: 'invalid', path: '$.id' }] },
    })
  })

  test('2.9 capabilities are those of the registration', () => {
    expect(vendors.supports(ns('acme-machine'), 'updatePrices')).toBe(true)
    expect(vendors.supports(ns('later-machine'), 'updatePrices')).toBe(false)
    expect(vendors.supports(ns('nobody-machine'), 'inventory')).toBe(false)
  })

  test('a registration that contradicts itself stops the start', () => {
    expect(() => registry([registerLive(ns('acme-supply'), acme), plannedVendor(ns('acme-supply'))])).toThrow('twice')
    expect(() => registry([registerLive(ns('acme-supply'), cloud)])).toThrow('acme-supply')
    expect(() => registry([registerLive(ns('acme-supply'), acme, ['ledger'])])).toThrow('ledger')
    const { registration } = registerLive(ns('acme-supply'), acme)
    expect(() => registry([{ registration }])).toThrow('live')
  })
})
