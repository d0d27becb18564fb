/** Each supplier's products indexed for linking; rebuilt only when a title or barcode changed. */
import { type Namespace, type SkuId, skuIdOf } from '../../kernel/ids.ts'
import { forEachInSlices, yieldToEventLoop } from '../../lib/concurrency.ts'
import type { SupplyProduct } from '../../vendors/supply-vendor.ts'
import { type Gtin, parseGtin } from './gtin.ts'
import { type SupplierProducts, addCode } from './link.ts'
import { buildNameIndex } from './name-index.ts'

/** Products compared before others get a turn of the event loop. */
const SLICE = 1_000

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
    if (entry && (entry.products === products || (await hasSameIdentities(entry.byVendorSku, products)))) {
      entry.products = products
      return entry.index
    }
    const building = this.#building.get(products) ?? this.#build(namespace, products)
    this.#building.set(products, building)
    return building
  }

  async #build(namespace: Namespace, products: readonly SupplyProduct[]): Promise<SupplierIndex> {
    const names: (readonly [SkuId, string])[] = []
    const codes = new Map<Gtin, SkuId[]>()
    const gtins = new Map<SkuId, Gtin>()
    const byVendorSku = new Map<string, SupplyProduct>()
    await forEachInSlices(products, (product) => {
      byVendorSku.set(product.vendorSku, product)
      const skuId = skuIdOf(namespace, product.vendorSku)
      if (!skuId) return
      const gtin = parseGtin(product.barcode)
      names.push([skuId, product.title])
      addCode(codes, skuId, gtin)
      if (gtin !== undefined) gtins.set(skuId, gtin)
    })
    const index: SupplierIndex = {
      namespace,
      codes,
      names: await buildNameIndex(names),
      gtinOf: (id) => gtins.get(id),
      version: ++this.#lastVersion,
    }
    this.#entries.set(namespace, { products, byVendorSku, index })
    return index
  }
}

async function hasSameIdentities(
  known: ReadonlyMap<string, SupplyProduct>,
  products: readonly SupplyProduct[],
): Promise<boolean> {
  if (known.size !== products.length) return false
  for (const [i, product] of products.entries()) {
    const before = known.get(product.vendorSku)
    if (!before || before.title !== product.title || before.barcode !== product.barcode) return false
    if (i % SLICE === SLICE - 1) await yieldToEventLoop()
  }
  return true
}
