/**
 * A supplier's catalog indexed for searches: in order of id, with the JSON of each product serialized on first use. Built
 * once per catalog object; adapters return the same object while nothing changed.
 */
import type { Product } from '../../contract/shapes/catalog.ts'
import type { Reply } from '../../contract/handlers.ts'
import type { Config } from '../../config.ts'
import { type Namespace, type SkuId, skuIdOf } from '../../kernel/ids.ts'
import { forEachInSlices, sortInSlices } from '../../lib/concurrency.ts'
import { SecondHitCache } from '../../lib/caches.ts'
import type { SupplyCatalog, SupplyProduct } from '../../vendors/supply-vendor.ts'
import type { Alias, AliasesBySku } from '../skus/index.ts'
import { type Filter, type Filterable, matchesCategoryAndPrice } from './filter.ts'
import { normalizeText } from '../../lib/words.ts'
import { aliasView, supplyProductView, withLookupInputs } from './product.ts'
import { SubstringIndex } from './substring-index.ts'

/** Searches, and whole replies, that are cached per catalog. */
const SEARCHES_CACHED = 64
const REPLIES_CACHED = 64

export interface IndexedProduct extends Filterable {
  readonly id: SkuId
  readonly product: SupplyProduct
}

const NO_ALIASES: readonly Alias[] = []

/** Kept as JSON bytes: objects or strings would take several times the memory. */
interface SerializedProduct {
  readonly aliases: readonly Alias[]
  plain?: Buffer
  lookup?: Buffer
}

/** How times and prices of a deployment are written. */
type Locale = Pick<Config, 'timeZone' | 'currency'>

type ReplyCache = SecondHitCache<Reply<'searchCatalog'>>

export class CatalogIndex {
  readonly #catalog: SupplyCatalog
  readonly #locale: Locale
  readonly #products: readonly IndexedProduct[]
  readonly #texts: SubstringIndex
  readonly #byId: ReadonlyMap<string, IndexedProduct>
  readonly #matches = new SecondHitCache<readonly IndexedProduct[]>(SEARCHES_CACHED)
  readonly #serialized = new Map<SkuId, SerializedProduct>()
  #replies: { readonly aliases: AliasesBySku; readonly cache: ReplyCache } | undefined

  private constructor(
    catalog: SupplyCatalog,
    locale: Locale,
    byId: ReadonlyMap<string, IndexedProduct>,
    products: readonly IndexedProduct[],
    texts: SubstringIndex,
  ) {
    this.#catalog = catalog
    this.#locale = locale
    this.#byId = byId
    this.#products = products
    this.#texts = texts
  }

  /** In slices: 200,000 products take a second. */
  static async build(namespace: Namespace, catalog: SupplyCatalog, locale: Locale): Promise<CatalogIndex> {
    const byId = new Map<string, IndexedProduct>()
    await forEachInSlices(catalog.products, (product) => {
      const id = skuIdOf(namespace, product.vendorSku)
      if (id)
        byId.set(id, {
          id,
          product,
          searchText: searchTextOf(product),
          category: product.category?.toLowerCase(),
          priceFen: product.eachPriceFen,
        })
    })
    const products = await sortById([...byId.values()])
    return new CatalogIndex(catalog, locale, byId, products, await SubstringIndex.build(products, textOf))
  }

  find(id: string): IndexedProduct | undefined {
    return this.#byId.get(id)
  }

  search(filter: Filter): readonly IndexedProduct[] {
    const known = this.#matches.get(filter.key)
    if (known) return known
    const found: IndexedProduct[] = []
    const check = (product: IndexedProduct) => void (matchesCategoryAndPrice(product, filter) && found.push(product))
    const hasCode = isBarcode(filter.query) ? carriesBarcode(filter.query) : undefined
    if (filter.query === '') this.#products.forEach(check)
    else if (hasCode)
      this.#products.forEach((one) => void ((one.searchText.includes(filter.query) || hasCode(one)) && check(one)))
    else this.#texts.forEachMatch(filter.query, (at) => check(this.#products[at] as IndexedProduct))
    this.#matches.offer(filter.key, found)
    return found
  }

  /** Whole replies of searches, cached while neither the products nor their aliases change. */
  repliesFor(aliases: AliasesBySku): ReplyCache {
    if (this.#replies?.aliases !== aliases) this.#replies = { aliases, cache: new SecondHitCache(REPLIES_CACHED) }
    return this.#replies.cache
  }

  serialize({ id, product }: IndexedProduct, aliasesBySku: AliasesBySku, as: 'plain' | 'lookup'): Buffer {
    const aliases = aliasesBySku.get(id) ?? NO_ALIASES
    let serialized = this.#serialized.get(id)
    if (serialized?.aliases !== aliases) this.#serialized.set(id, (serialized = { aliases }))
    return (serialized[as] ??= this.#serialize(id, product, aliases, as))
  }

  #serialize(id: SkuId, product: SupplyProduct, aliases: readonly Alias[], as: 'plain' | 'lookup'): Buffer {
    const views = aliases.map((alias) => aliasView(alias, this.#locale.timeZone))
    const plain: Product = supplyProductView(id, product, this.#locale.currency, this.#catalog.sites, views)
    return unpooledBuffer(JSON.stringify(as === 'lookup' ? withLookupInputs(plain) : plain))
  }
}

export class CatalogIndexes {
  readonly #locale: Locale
  readonly #current = new Map<Namespace, { readonly catalog: SupplyCatalog; readonly index: Promise<CatalogIndex> }>()

  constructor(locale: Locale) {
    this.#locale = locale
  }

  indexOf(namespace: Namespace, catalog: SupplyCatalog): Promise<CatalogIndex> {
    const current = this.#current.get(namespace)
    if (current?.catalog === catalog) return current.index
    const index = CatalogIndex.build(namespace, catalog, this.#locale)
    this.#current.set(namespace, { catalog, index })
    return index
  }
}

/** Outside the shared pool: a long-lived slice of it would keep 8 KB of other data alive. */
function unpooledBuffer(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The title usually starts with the brand; a brand it leaves out is searched as well. */
function searchTextOf({ brand, title }: SupplyProduct): string {
  const name = normalizeText(title)
  const maker = brand === undefined ? '' : normalizeText(brand)
  return name.includes(maker) ? name : `${maker}${name}`
}

const isBarcode = (query: string): boolean => /^\d{8,14}$/.test(query)

/** Zeros in front make a GTIN longer and mean nothing. */
const withoutZeros = (code: string): string => code.replace(/^0+/, '')

function carriesBarcode(query: string): (one: IndexedProduct) => boolean {
  const wanted = withoutZeros(query)
  return ({ product: { barcode } }) => barcode !== undefined && withoutZeros(barcode) === wanted
}

const textOf = ({ searchText }: IndexedProduct): string => searchText

const sortById = async <T extends { readonly id: SkuId }>(products: T[]): Promise<readonly T[]> =>
  products.every((product, i) => i === 0 || (products[i - 1] as T).id < product.id)
    ? products
    : sortInSlices(products, (left, right) => (left.id < right.id ? -1 : 1))
