/**
 * Adapters with the freshness of the deployment in front of them. While fresh, the very same catalog object comes back,
 * so callers can hang what they compute from it on a WeakMap.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { Clock } from '../../kernel/clock.ts'
import { succeeded } from '../result.ts'
import type { MachineSlot, MachineVendor, SupplyCatalog, SupplyVendor } from '../contract.ts'
import { ttlCache } from './ttl-cache.ts'
import { reuseUnchanged } from './share-unchanged.ts'

export const CATALOG_FRESH_MS = 60 * SECOND
export const INVENTORY_FRESH_MS = 15 * SECOND
const MACHINES_KEPT = 2_000
const WHOLE_CATALOG = ''

export function cachedSupply(vendor: SupplyVendor, clock: Clock, ttlMs = CATALOG_FRESH_MS): SupplyVendor {
  const catalogs = ttlCache<SupplyCatalog>({ clock, ttlMs, entries: 1 })
  let last: SupplyCatalog | undefined
  const read = async () => {
    const answer = await vendor.catalog()
    return answer.ok ? succeeded((last = reuseUnchanged(last, answer.value)), answer.refused) : answer
  }
  return {
    role: 'supply',
    // A narrowed listing is not the catalog: it is neither kept nor answered from what is kept.
    catalog(query = {}) {
      if (query.keyword) return vendor.catalog(query)
      return catalogs[query.live ? 'live' : 'get'](WHOLE_CATALOG, read)
    },
    createOrder: (ref, lines, fulfillment, permit) => vendor.createOrder(ref, lines, fulfillment, permit),
    orderStatus: (ref) => vendor.orderStatus(ref),
  }
}

export function cachedMachine(vendor: MachineVendor, clock: Clock, ttlMs = INVENTORY_FRESH_MS): MachineVendor {
  const inventories = ttlCache<readonly MachineSlot[]>({ clock, ttlMs, entries: MACHINES_KEPT })
  return {
    role: 'machine',
    inventory: (locationId, freshness = {}) =>
      inventories[freshness.live ? 'live' : 'get'](locationId, async () => {
        const readAt = clock.now()
        const inventory = await vendor.inventory(locationId)
        return inventory.ok ? { ...inventory, readAt } : inventory
      }),
    ledger: (query) => vendor.ledger(query),
    async updatePrices(locationId, prices, permit) {
      const answer = await vendor.updatePrices(locationId, prices, permit)
      // Whatever the answer was, a price read before it may be the old one.
      inventories.drop(locationId)
      return answer
    },
    restockRecommend: (locationId, ref, lines, permit) => vendor.restockRecommend(locationId, ref, lines, permit),
  }
}
