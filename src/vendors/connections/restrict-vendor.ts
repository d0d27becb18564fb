/** Connections with restrictions: read-only ones, and machine platforms whose ids get a prefix. */
import type { Result } from '../contract.ts'
import type { Vendor, VendorCapability } from '../registration.ts'
import type { MachineVendor } from '../machine-vendor.ts'
import { fail, failUnsupported } from '../result.ts'

const WRITES: readonly VendorCapability[] = ['createOrder', 'orderByHand', 'updatePrices', 'restockRecommend']

export const readingCapabilities = (capabilities: readonly VendorCapability[]): readonly VendorCapability[] =>
  capabilities.filter((name) => !WRITES.includes(name))

/** The capabilities are what callers see; a call that comes all the same is refused here. */
export function readOnlyVendor(vendor: Vendor): Vendor {
  if (vendor.role === 'supply') return { ...vendor, createOrder: async () => failUnsupported('createOrder') }
  return {
    ...vendor,
    updatePrices: async () => failUnsupported('updatePrices'),
    restockRecommend: async () => failUnsupported('restockRecommend'),
  }
}

/** Our machine ids are the platform's with the prefix. */
export function withIdPrefix(vendor: MachineVendor, prefix: string): MachineVendor {
  const ownId = (id: string): string | undefined => (id.startsWith(prefix) ? id.slice(prefix.length) : undefined)
  const call = async <T>(locationId: string, read: (id: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const id = ownId(locationId)
    return id ? read(id) : fail('absent', `The machine ids of this platform start with ${prefix}`)
  }
  const locations = vendor.locations?.bind(vendor)
  const health = vendor.health?.bind(vendor)
  const cash = vendor.cash?.bind(vendor)
  return {
    ...vendor,
    inventory: (locationId, freshness) => call(locationId, (id) => vendor.inventory(id, freshness)),
    async ledger(query) {
      const page = await vendor.ledger(query)
      if (!page.ok) return page
      const { records, completeFrom, completeTo } = page.value
      const withPrefix = (times: Readonly<Record<string, number>>) =>
        Object.fromEntries(Object.entries(times).map(([id, at]) => [prefix + id, at]))
      return {
        ...page,
        value: {
          ...page.value,
          records: records.map((record) => ({ ...record, locationId: prefix + record.locationId })),
          ...(completeFrom && { completeFrom: withPrefix(completeFrom) }),
          ...(completeTo && { completeTo: withPrefix(completeTo) }),
        },
      }
    },
    updatePrices: (locationId, prices, permit) => call(locationId, (id) => vendor.updatePrices(id, prices, permit)),
    restockRecommend: (locationId, ref, lines, permit) =>
      call(locationId, (id) => vendor.restockRecommend(id, ref, lines, permit)),
    ...(locations && {
      async locations() {
        const listed = await locations()
        if (!listed.ok) return listed
        return { ...listed, value: listed.value.map((location) => ({ ...location, id: prefix + location.id })) }
      },
    }),
    ...(health && { health: (locationId) => call(locationId, health) }),
    ...(cash && { cash: (locationId) => call(locationId, cash) }),
  }
}
