/**
 * Adapters behind a cache: a catalog is fresh for 60 s, an inventory for 15 s. While nothing changed, the same catalog
 * object is returned, so callers may cache by its identity.
 */
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { succeed } from '../result.ts'
import type { MachineSlot, MachineVendor } from '../machine-vendor.ts'
import type { SupplyCatalog, SupplyVendor } from '../supply-vendor.ts'
import { mergeLanes } from '../merge-lanes.ts'
import { ttlCache } from './ttl-cache.ts'
import { reuseUnchanged } from './share-unchanged.ts'

const CATALOG_FRESH_MS = 60 * SECOND
const INVENTORY_FRESH_MS = 15 * SECOND
const MACHINES_CACHED = 2_000
const WHOLE_CATALOG = ''

export function cachedSupply(vendor: SupplyVendor, clock: Clock): SupplyVendor {
  const catalogs = ttlCache<SupplyCatalog>({ clock, ttlMs: CATALOG_FRESH_MS, entries: 1 })
  let last: SupplyCatalog | undefined
  const read = async () => {
    const catalog = await vendor.catalog()
    return catalog.ok ? succeed((last = await reuseUnchanged(last, catalog.value)), catalog.unreadable) : catalog
  }
  return {
    role: 'supply',
    ...(vendor.leadDays !== undefined && { leadDays: vendor.leadDays }),
    // A search result is not the catalog, so it is never cached.
    catalog(query = {}) {
      if (query.keyword) return vendor.catalog(query)
      return catalogs[query.live ? 'live' : 'get'](WHOLE_CATALOG, read)
    },
    lastCatalog: () => last,
    createOrder: (order, permit) => vendor.createOrder(order, permit),
    orderStatus: (ref) => vendor.orderStatus(ref),
    ...(vendor.quote && { quote: vendor.quote.bind(vendor) }),
    ...(vendor.receive && { receive: vendor.receive.bind(vendor) }),
    ...(vendor.recordPlaced && { recordPlaced: vendor.recordPlaced.bind(vendor) }),
    ...(vendor.recordCanceled && { recordCanceled: vendor.recordCanceled.bind(vendor) }),
    ...(vendor.unreadableFiles && { unreadableFiles: vendor.unreadableFiles.bind(vendor) }),
    ...(vendor.examineReply && { examineReply: vendor.examineReply.bind(vendor) }),
    ...(vendor.askedPacks && { askedPacks: vendor.askedPacks.bind(vendor) }),
    ...(vendor.journaledRefs && { journaledRefs: vendor.journaledRefs.bind(vendor) }),
  }
}

export function cachedMachine(vendor: MachineVendor, clock: Clock): MachineVendor {
  const inventories = ttlCache<readonly MachineSlot[]>({ clock, ttlMs: INVENTORY_FRESH_MS, entries: MACHINES_CACHED })
  return {
    role: 'machine',
    ...(vendor.canSeeOnline === false && { canSeeOnline: false }),
    inventory: (locationId, freshness = {}) =>
      inventories[freshness.live ? 'live' : 'get'](locationId, async () => {
        const readAt = clock.now()
        const inventory = await vendor.inventory(locationId)
        return inventory.ok ? { ...inventory, value: mergeLanes(inventory.value), readAt } : inventory
      }),
    ledger: (query) => vendor.ledger(query),
    async updatePrices(locationId, prices, permit) {
      const result = await vendor.updatePrices(locationId, prices, permit)
      // Whatever the result, the cached prices may be outdated now.
      inventories.drop(locationId)
      return result
    },
    restockRecommend: (locationId, ref, lines, permit) => vendor.restockRecommend(locationId, ref, lines, permit),
    ...(vendor.locations && { locations: vendor.locations.bind(vendor) }),
    ...(vendor.health && { health: vendor.health.bind(vendor) }),
    ...(vendor.cash && { cash: vendor.cash.bind(vendor) }),
    ...(vendor.receiveMessages && { receiveMessages: vendor.receiveMessages.bind(vendor) }),
  }
}
