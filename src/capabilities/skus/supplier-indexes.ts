/** Each supplier's goods indexed for linking, rebuilt only when a name or a code in its catalog changed. */
import { skuIdOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { SupplyProduct } from '../../vendors/contract.ts'
import { parseGtin } from './gtin.ts'
import type { Gtin } from './gtin.ts'
import { codeIndex } from './link.ts'
import type { SupplierProducts } from './link.ts'
import { nameIndex } from './name-index.ts'

export interface SupplierIndex extends SupplierProducts {
  /** Rises with every change that could make or break a link. */
  readonly edition: number
}

interface Kept {
  products: readonly SupplyProduct[]
  byCode: ReadonlyMap<string, SupplyProduct>
  readonly side: SupplierIndex
}

export class SupplierIndexes {
  readonly #kept = new Map<Namespace, Kept>()
  readonly #building = new WeakMap<readonly SupplyProduct[], Promise<SupplierIndex>>()
  #editions = 0

  all(): readonly SupplierIndex[] {
    return [...this.#kept.values()].map(({ side }) => side)
  }

  /** The same side again while only prices and stock moved; callers that come together share one build. */
  async see(namespace: Namespace, products: readonly SupplyProduct[]): Promise<SupplierIndex> {
    const kept = this.#kept.get(namespace)
    if (kept && (kept.products === products || sameIdentities(kept.byCode, products))) {
      kept.products = products
      return kept.side
    }
    const building = this.#building.get(products) ?? this.#build(namespace, products)
    this.#building.set(products, building)
    return building
  }

  async #build(namespace: Namespace, products: readonly SupplyProduct[]): Promise<SupplierIndex> {
    const byCode = new Map(products.map((product) => [product.vendorSku, product]))
    const goods = products.flatMap((product) => {
      const skuId = skuIdOf(namespace, product.vendorSku)
      return skuId ? [{ skuId, title: product.title, gtin: parseGtin(product.barcode) }] : []
    })
    const gtins = new Map<SkuId, Gtin>()
    for (const { skuId, gtin } of goods) if (gtin !== undefined) gtins.set(skuId, gtin)
    const side: SupplierIndex = {
      namespace,
      codes: codeIndex(goods),
      names: await nameIndex(goods.map(({ skuId, title }) => [skuId, title] as const)),
      gtinOf: (id) => gtins.get(id),
      edition: ++this.#editions,
    }
    this.#kept.set(namespace, { products, byCode, side })
    return side
  }
}

function sameIdentities(known: ReadonlyMap<string, SupplyProduct>, products: readonly SupplyProduct[]): boolean {
  if (known.size !== products.length) return false
  for (const product of products) {
    const before = known.get(product.vendorSku)
    if (!before || before.title !== product.title || before.barcode !== product.barcode) return false
  }
  return true
}
