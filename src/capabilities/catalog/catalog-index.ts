/**
 * A supplier's catalog made ready for reading, once per snapshot: in order of id, searchable, the JSON of each good
 * made when first asked for. Adapters hand out the same snapshot while it is fresh, so all of it hangs on that object.
 */
import type { Product } from '../../contract/catalog.ts'
import { skuIdOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { SupplyCatalog, SupplyProduct } from '../../vendors/contract.ts'
import type { AliasesBySku, Alias } from '../skus/index.ts'
import { SecondHitCache } from '../../lib/second-hit-cache.ts'
import { fits, lower, searchText } from './filter.ts'
import type { Filter, Filtered } from './filter.ts'
import { SubstringIndex } from './substring-index.ts'
import { aliasView, looksUp, supplyView } from './product.ts'

/** Searches whose matches are kept: the pages of one walk, and what everybody asks. */
const SEARCHES_KEPT = 64

export interface IndexedProduct extends Filtered {
  readonly id: SkuId
  readonly good: SupplyProduct
}

const NO_ALIASES: readonly Alias[] = []

/** As the bytes of their JSON: the views themselves, or its text, would take more room than all the rest. */
interface Written {
  readonly aliases: readonly Alias[]
  plain?: Buffer
  lookup?: Buffer
}

export class CatalogIndex {
  readonly #catalog: SupplyCatalog
  readonly #timeZone: string
  readonly #goods: readonly IndexedProduct[]
  readonly #haystack: SubstringIndex
  readonly #byId: ReadonlyMap<string, IndexedProduct>
  readonly #matches = new SecondHitCache<readonly IndexedProduct[]>(SEARCHES_KEPT)
  readonly #written = new Map<SkuId, Written>()

  constructor(namespace: Namespace, catalog: SupplyCatalog, timeZone: string) {
    this.#catalog = catalog
    this.#timeZone = timeZone
    const byId = new Map<string, IndexedProduct>()
    for (const good of catalog.products) {
      const id = skuIdOf(namespace, good.vendorSku)
      if (id)
        byId.set(id, {
          id,
          good,
          haystack: haystackOf(good),
          category: good.category && lower(good.category),
          priceFen: good.eachPriceFen,
        })
    }
    this.#byId = byId
    this.#goods = inOrder([...byId.values()])
    this.#haystack = new SubstringIndex(this.#goods.map(({ haystack }) => haystack))
  }

  find(id: string): IndexedProduct | undefined {
    return this.#byId.get(id)
  }

  matching(filter: Filter): readonly IndexedProduct[] {
    const known = this.#matches.get(filter.key)
    if (known) return known
    const found: IndexedProduct[] = []
    const look = (good: IndexedProduct) => void (fits(good, filter) && found.push(good))
    if (filter.query === '') this.#goods.forEach(look)
    else this.#haystack.holding(filter.query, (place) => look(this.#goods[place] as IndexedProduct))
    this.#matches.offer(filter.key, found)
    return found
  }

  written({ id, good }: IndexedProduct, page: AliasesBySku, as: 'plain' | 'lookup'): Buffer {
    const aliases = page.get(id) ?? NO_ALIASES
    let written = this.#written.get(id)
    if (written?.aliases !== aliases) this.#written.set(id, (written = { aliases }))
    return (written[as] ??= this.#write(id, good, aliases, as))
  }

  #write(id: SkuId, good: SupplyProduct, aliases: readonly Alias[], as: 'plain' | 'lookup'): Buffer {
    const shown = aliases.map((alias) => aliasView(alias, this.#timeZone))
    const plain: Product = supplyView(id, good, this.#catalog.sites, shown)
    return keptBytes(JSON.stringify(as === 'lookup' ? looksUp(plain) : plain))
  }
}

/** Not out of the shared pool: what lives long there keeps alive eight kilobytes of what others needed for a moment. */
function keptBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The title holds brand and name; a brand it leaves out is searched as well. */
function haystackOf({ brand, title }: SupplyProduct): string {
  const name = searchText(title)
  const maker = brand === undefined ? '' : searchText(brand)
  return name.includes(maker) ? name : `${maker}${name}`
}

const inOrder = <T extends { readonly id: SkuId }>(goods: T[]): readonly T[] =>
  goods.every((good, i) => i === 0 || (goods[i - 1] as T).id < good.id)
    ? goods
    : goods.toSorted((left, right) => (left.id < right.id ? -1 : 1))

const shelves = new WeakMap<SupplyCatalog, CatalogIndex>()

export function indexCatalog(namespace: Namespace, catalog: SupplyCatalog, timeZone: string): CatalogIndex {
  const known = shelves.get(catalog) ?? new CatalogIndex(namespace, catalog, timeZone)
  shelves.set(catalog, known)
  return known
}

/** Where the goods after an id begin: the first that is greater. */
export function after(goods: readonly { readonly id: SkuId }[], lastId: string | undefined): number {
  if (lastId === undefined) return 0
  let [from, to] = [0, goods.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((goods[middle] as { readonly id: SkuId }).id > lastId) to = middle
    else from = middle + 1
  }
  return from
}
