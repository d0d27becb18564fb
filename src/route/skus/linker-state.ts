/** What the linker remembers between reads, so that an unchanged catalog or inventory costs nothing. */
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { MachineProduct } from './records.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { SupplierIndexes } from './supplier-indexes.ts'

/** Machine products remembered as compared; far above any route's assortment. */
export const PRODUCTS_MAX = 20_000

export class LinkerState {
  readonly suppliers = new SupplierIndexes()
  /** The version of each supplier's index that all machine products were compared with. */
  readonly linkedVersions = new Map<Namespace, number>()
  /** When a supplier that did not answer may be asked again, in monotonic time. */
  readonly retryAt = new Map<Namespace, number>()
  /** The title, barcode and supplier versions that each machine product was last compared with. */
  readonly #compared = new BoundedMap<SkuId, string>(PRODUCTS_MAX)
  /** By the object read: adapters return the same object while it is fresh. */
  readonly #linkings = new WeakMap<object, Promise<void>>()

  /** Machine products not yet compared, as they are now, with every supplier as it is now. */
  unlinkedProducts(products: readonly MachineProduct[]): MachineProduct[] {
    const versions = this.#versions()
    return products.filter((product) => this.#compared.get(product.skuId) !== comparisonKey(product, versions))
  }

  /** Call with the products of a comparison; returns a function that marks them as compared once it is saved. */
  comparisonOf(products: readonly MachineProduct[]): () => void {
    const versions = this.#versions()
    return () => {
      for (const product of products) this.#compared.set(product.skuId, comparisonKey(product, versions))
    }
  }

  #versions(): string {
    return this.suppliers
      .all()
      .map(({ version }) => version)
      .join()
  }

  /** Links what was read once per object; after a failure the next read tries again. */
  linkOnce(read: object, link: () => Promise<void>): Promise<void> {
    const known = this.#linkings.get(read)
    if (known) return known
    const linking = link()
    this.#linkings.set(read, linking)
    linking.catch(() => this.#linkings.delete(read))
    return linking
  }
}

const comparisonKey = ({ title, barcode }: MachineProduct, supplierVersions: string): string =>
  `${title}\n${barcode ?? ''}\n${supplierVersions}`
