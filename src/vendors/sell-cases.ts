/** A simulated supplier that sells some products in whole cases only, as real ones do. */
import type { Registry } from './registry.ts'
import type { SupplyCatalog, SupplyProduct } from './supply-vendor.ts'
import { wrapVendors } from './wrap-vendors.ts'

export function sellCases(vendors: Registry, isInCases: (product: SupplyProduct) => boolean): Registry {
  const inCases = (catalog: SupplyCatalog): SupplyCatalog => ({
    ...catalog,
    products: catalog.products.map((product) =>
      product.packSize > 1 && isInCases(product) ? { ...product, units: 'pack' } : product,
    ),
  })
  return wrapVendors(vendors, {
    machine: (_, vendor) => vendor,
    supply: (_, vendor) => ({
      ...vendor,
      catalog: async (query) => {
        const read = await vendor.catalog(query)
        return read.ok ? { ...read, value: inCases(read.value) } : read
      },
      lastCatalog: () => {
        const last = vendor.lastCatalog?.()
        return last && inCases(last)
      },
    }),
  })
}
