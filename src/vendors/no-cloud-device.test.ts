/** The machine kit, passed by a device that has only `inventory` and `ledger`. */
import { describe, expect, test } from 'vitest'
import { describeMachineAdapter } from '../../test/contracts/machine-adapter.kit.ts'
import { type LocalDevice, noCloudDevice } from '../../test/contracts/no-cloud-device.ts'
import { fen } from '../kernel/fen.ts'
import { parseNamespace } from '../kernel/ids.ts'
import type { VendorCapability } from './registration.ts'
import type { LedgerRecord, MachineSlot } from './machine-vendor.ts'
import { registerLive, registry } from './registry.ts'

const CAPABILITIES: readonly VendorCapability[] = ['inventory', 'ledger']
const NOON = Date.parse('2026-09-10T12:00:00+08:00')

const slot = (vendorSku: string): MachineSlot => ({ vendorSku, title: vendorSku, priceFen: fen(300), stock: 4 })
const sale = (orderNo: string, createdAt: number, settled: boolean): LedgerRecord => ({
  orderNo,
  status: settled ? 'done' : 'open',
  settled,
  locationId: 'kiosk-1',
  totalFen: fen(300),
  createdAt,
  createdAtRaw: new Date(createdAt).toISOString(),
  lines: [{ vendorSku: 'A', priceFen: fen(300), costFen: null, status: settled ? 'paid' : 'unpaid' }],
})
const device = (): LocalDevice => ({
  locationId: 'kiosk-1',
  slots: [slot('A'), slot('B')],
  records: [sale('2', NOON, false), sale('1', NOON - 60_000, true)],
  connected: true,
})

describeMachineAdapter('A device without a cloud', {
  capabilities: CAPABILITIES,
  troubles: ['unreachable'],
  make() {
    const local = device()
    return Promise.resolve({
      vendor: noCloudDevice(local),
      hidden: [],
      locationId: local.locationId,
      slots: local.slots,
      records: local.records,
      window: { fromMs: NOON - 3_600_000, toMs: NOON },
      advice: () => ({}),
      writesReceived: () => 0,
      trouble: () => void (local.connected = false),
      heal: () => void (local.connected = true),
      close: () => Promise.resolve(),
    })
  },
})

describe('A device without a cloud', () => {
  test('2.9 the capabilities it lacks do not appear for it', () => {
    const namespace = parseNamespace('kiosk-machine')
    if (!namespace) throw new Error('not a namespace')
    const vendors = registry([registerLive(namespace, noCloudDevice(device()), CAPABILITIES)])
    expect(vendors.registrations).toMatchObject([{ namespace, capabilities: ['inventory', 'ledger'] }])
    expect(vendors.supports(namespace, 'updatePrices')).toBe(false)
    expect(vendors.supports(namespace, 'ledger')).toBe(true)
  })
})
