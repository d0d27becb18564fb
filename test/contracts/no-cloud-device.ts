/** An example of a device without a cloud platform: it is read over a local line, and nothing can be written to it. */
import { fail, succeed, failUnsupported } from '../../src/vendors/result.ts'
import type { Result } from '../../src/vendors/contract.ts'
import type { LedgerRecord, MachineSlot, MachineVendor } from '../../src/vendors/machine-vendor.ts'

export interface LocalDevice {
  readonly locationId: string
  readonly slots: readonly MachineSlot[]
  /** Newest first. */
  readonly records: readonly LedgerRecord[]
  connected: boolean
}

export function noCloudDevice(device: LocalDevice): MachineVendor {
  const overTheLine = <T>(read: () => T): Promise<Result<T>> =>
    Promise.resolve(device.connected ? succeed(read()) : fail('unsent', 'the device does not answer'))

  return {
    role: 'machine',
    inventory: (locationId) => overTheLine(() => (locationId === device.locationId ? device.slots : [])),
    ledger: ({ fromMs, toMs, page = 1, size = 100, settledOnly = false }) =>
      overTheLine(() => {
        const hits = device.records.filter(
          ({ createdAt, settled }) =>
            createdAt !== null && createdAt >= fromMs && createdAt <= toMs && (settled || !settledOnly),
        )
        return {
          records: hits.slice((page - 1) * size, page * size),
          page,
          pages: Math.ceil(hits.length / size),
          total: hits.length,
        }
      }),
    updatePrices: () => Promise.resolve(failUnsupported('updatePrices')),
    restockRecommend: () => Promise.resolve(failUnsupported('restockRecommend')),
  }
}
