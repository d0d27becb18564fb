/** Each supplier's products indexed for linking; rebuilt only when a title or barcode changed. */
import { type Namespace, type SkuId, skuIdOf } from '../../kernel/ids.ts'
import type { SupplyProduct } from '../../vendors/supply-vendor.ts'
import { type Gtin, parseGtin } from './gtin.ts'
import { type SupplierProducts, indexByCode } from './link.ts'
import { buildNameIndex } from './name-index.ts'

export interface SupplierIndex extends SupplierProducts {
  /** Rises with every change that could create or outdate a link. */
  readonly version: number
}

interface Entry {
  products: readonly SupplyProduct[]
  byVendorSku: ReadonlyMap<string, SupplyProduct>
  readonly index: SupplierIndex
}

export class SupplierIndexes {
  readonly #entries = new Map<Namespace, Entry>()
  readonly #building = new WeakMap<readonly SupplyProduct[], Promise<SupplierIndex>>()
  #lastVersion = 0

  all(): readonly SupplierIndex[] {
    return [...this.#entries.values()].map(({ index }) => index)
  }

  /** Returns the same index while only prices and stock changed; concurrent callers share one build. */
  async update(namespace: Namespace, products: readonly SupplyProduct[]): Promise<SupplierIndex> {
    const entry = this.#entries.get(namespace)
    if (entry && (entry.products === products || hasSameIdentities(entry.byVendorSku, products))) {
      entry.products = products
      return entry.index
    }
    const building = this.#building.get(products) ?? this.#build(namespace, products)
    this.#building.set(products, building)
    return building
  }

  async #build(namespace: Namespace, products: readonly SupplyProduct[]): Promise<SupplierIndex> {
    const identities = products.flatMap(({ vendorSku, title, barcode }) => {
      const skuId = skuIdOf(namespace, vendorSku)
      return skuId ? [{ skuId, title, gtin: parseGtin(barcode) }] : []
    })
    const gtins = new Map<SkuId, Gtin>()
    for (const { skuId, gtin } of identities) if (gtin !== undefined) gtins.set(skuId, gtin)
    const index: SupplierIndex = {
      namespace,
      codes: indexByCode(identities),
      names: await buildNameIndex(identities.map(({ skuId, title }) => [skuId, title] as const)),
      gtinOf: (id) => gtins.get(id),
      version: ++this.#lastVersion,
    }
    const byVendorSku = new Map(products.map((product) => [product.vendorSku, product]))
    this.#entries.set(namespace, { products, byVendorSku, index })
    return index
  }
}

function hasSameIdentities(known: ReadonlyMap<string, SupplyProduct>, products: readonly SupplyProduct[]): boolean {
  if (known.size !== products.length) return false
  for (const product of products) {
    const before = known.get(product.vendorSku)
    if (!before || before.title !== product.title || before.barcode !== product.barcode) return false
  }
  return true
}
