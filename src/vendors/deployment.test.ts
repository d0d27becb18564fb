import { describe, expect, test, vi } from 'vitest'
import { granted, expectFailure, expectValue } from '../../test/contracts/adapter-kit.ts'
import {
  supplyProduct,
  machineSlot,
  scriptedMachine,
  scriptedSupply,
  supplyOrder,
} from '../../test/support/scripted-vendors.ts'
import { manualClock } from '../kernel/clock.ts'
import type { Namespace } from '../kernel/ids.ts'
import { silentLog } from '../kernel/log.ts'
import type { AdapterModule, AdapterNeeds } from './adapter-module.ts'
import { type Connection, acmeConnections } from './connections/connection.ts'
import type { Vendor, VendorCapability } from './registration.ts'
import type { MachineVendor } from './machine-vendor.ts'
import { deployVendors } from './deployment.ts'
import { processMemory } from './process-memory.ts'
import { succeed } from './result.ts'

const clock = manualClock(Date.parse('2026-09-10T08:00:00+08:00'))
const ledgerChanged = vi.fn<(namespace: Namespace, fromMs?: number) => void>()
const deploy = (...connections: Connection[]) =>
  deployVendors(connections, { clock, log: silentLog, timeoutMs: 100, memory: () => processMemory(), ledgerChanged })
const ns = (text: string) => text as Namespace

function connection(
  namespace: string,
  vendor: Vendor,
  capabilities: readonly VendorCapability[],
  over: { isReadOnly?: boolean; idPrefix?: string; onOpen?: (needs: AdapterNeeds) => void } = {},
): Connection {
  const module: AdapterModule = {
    adapter: 'test',
    role: vendor.role,
    secrets: [],
    check: (settings) => ({ ok: true, settings }),
    open(_settings, needs) {
      over.onOpen?.(needs)
      return { vendor: { ...vendor, close: async () => {} }, capabilities }
    },
  }
  return {
    basics: { namespace: ns(namespace), currency: 'CNY', timeZone: 'UTC', isReadOnly: over.isReadOnly ?? false },
    module,
    settings: {},
    idPrefix: over.idPrefix ?? '',
    folder: '/etc/vendops',
  }
}

const SHIPPING = { method: 'shipping', contactName: '王', contactPhone: '1', address: '上海' } as const
const acme = { acmeSupply: { url: 'http://127.0.0.1:1', appKey: 'k', appSecret: 's' } }

describe('the vendors of a deployment', () => {
  test('2.4 unconfigured ACME namespaces are planned; the first live one of a role is its default', () => {
    const { vendors } = deploy(
      ...acmeConnections(acme),
      connection('bolt-supply', scriptedSupply([]).vendor, ['catalog']),
      connection('bolt-machine', scriptedMachine({}).vendor, ['inventory', 'ledger']),
      connection('nayaxus-machine', scriptedMachine({}).vendor, ['inventory', 'ledger']),
    )
    expect(vendors.registrations.map(({ namespace, status }) => `${namespace} ${status}`)).toEqual([
      'acme-supply live',
      'acme-machine planned',
      'bolt-supply live',
      'bolt-machine live',
      'nayaxus-machine live',
    ])
    expect(vendors.defaults).toEqual({ supply: 'acme-supply', machine: 'bolt-machine' })
  })

  test('a read-only connection has no writing capability, and refuses a write that is attempted all the same', async () => {
    const supply = scriptedSupply([supplyProduct('A')])
    const machine = scriptedMachine({ M1: [machineSlot('A')] })
    const { vendors } = deploy(
      connection('bolt-supply', supply.vendor, ['catalog', 'createOrder', 'orderStatus'], { isReadOnly: true }),
      connection('bolt-machine', machine.vendor, ['inventory', 'ledger', 'updatePrices', 'restockRecommend'], {
        isReadOnly: true,
      }),
    )
    expect(vendors.registrations.flatMap(({ capabilities }) => capabilities)).toEqual([
      'catalog',
      'orderStatus',
      'inventory',
      'ledger',
    ])
    const [supplier, platform] = [vendors.supply(ns('bolt-supply')), vendors.machine(ns('bolt-machine'))]
    if (!supplier.ok || !platform.ok) throw new Error('not registered')
    const order = supplyOrder('po_1', [{ vendorSku: 'A', quantity: 1, unit: 'each' }], SHIPPING)
    expectFailure(await supplier.value.createOrder(order, granted), 'unsupported')
    expectFailure(await platform.value.updatePrices('M1', [], granted), 'unsupported')
    expectFailure(await platform.value.restockRecommend('M1', 'r', [], granted), 'unsupported')
    expect([...supply.script.calls, ...machine.script.calls]).toEqual([])
    expectValue(await supplier.value.catalog())
    expectValue(await platform.value.inventory('M1'))
  })

  test('an id prefix keeps the machines of two platforms apart, in every call', async () => {
    const machine = scriptedMachine({ '12': [machineSlot('A')] })
    const vendor: MachineVendor = {
      ...machine.vendor,
      ledger: async () =>
        succeed({
          records: [
            {
              orderNo: '1',
              status: 'SETTLED',
              settled: true,
              locationId: '12',
              totalFen: 250 as never,
              createdAt: 0,
              createdAtRaw: '',
              lines: [],
            },
          ],
          page: 1,
          pages: 1,
          total: 1,
          completeFrom: { '12': 5 },
        }),
      locations: async () => succeed([{ id: '12', name: 'Lobby' }]),
      health: async (id) => succeed({ online: id === '12', lastSeenAt: null, problems: [] }),
      cash: async (id) => succeed({ fromMs: 0, untilMs: id === '12' ? 12 : 0, taken: [] }),
    }
    const names = ['inventory', 'ledger', 'updatePrices', 'locations', 'health', 'cash'] as const
    const { vendors } = deploy(connection('us-machine', vendor, names, { idPrefix: 'us-' }))
    const found = vendors.machine(ns('us-machine'))
    if (!found.ok) throw new Error('not registered')
    const platform = found.value
    expect(expectValue(await platform.inventory('us-12'))).toHaveLength(1)
    expectFailure(await platform.inventory('12'), 'absent')
    expectFailure(await platform.inventory('us-'), 'absent')
    expect(expectValue(await platform.ledger({ fromMs: 0, toMs: 1 }))).toMatchObject({
      records: [{ locationId: 'us-12' }],
      completeFrom: { 'us-12': 5 },
    })
    expect(expectValue((await platform.locations?.()) ?? failedCall)).toEqual([{ id: 'us-12', name: 'Lobby' }])
    expect(expectValue((await platform.health?.('us-12')) ?? failedCall)).toMatchObject({ online: true })
    expect(expectValue((await platform.cash?.('us-12')) ?? failedCall)).toMatchObject({ untilMs: 12 })
    expectValue(await platform.updatePrices('us-12', [], granted))
    expect(machine.script.calls.every((call) => !JSON.stringify(call).includes('us-'))).toBe(true)
  })

  test('an adapter gets its connection, a memory, paths beside VENDORS_FILE and a way to ask for a re-read', async () => {
    let needs: AdapterNeeds | undefined
    deploy(connection('bolt-machine', scriptedMachine({}).vendor, ['ledger'], { onOpen: (given) => (needs = given) }))
    expect(needs?.connection.namespace).toBe('bolt-machine')
    expect(needs?.resolvePath('dex')).toBe('/etc/vendops/dex')
    expect(needs?.resolvePath('/var/dex')).toBe('/var/dex')
    needs?.reportOlderSales(7)
    expect(ledgerChanged).toHaveBeenCalledWith('bolt-machine', 7)
    expect(await needs?.memory.put('k', { n: 1 }, 0)).toBe(1)
  })
})

const failedCall = { ok: false, reason: 'unsupported', message: 'no such call' } as const
