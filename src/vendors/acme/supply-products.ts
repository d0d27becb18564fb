/** Reads products and pickup sites of Acme Supply. */
import { eachOf } from '../../kernel/fen.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { UnreadableRow } from '../contract.ts'
import type { SupplyProduct, SupplySite } from '../supply-vendor.ts'
import type { NumberedPage } from '../upstream/paging.ts'
import { type ReadRows, readRow, readRows } from '../upstream/rows.ts'
import { type Fields, list, optionalText, object, stock, text, vendorCode, webUrl, int } from '../upstream/read-json.ts'
import { hasSameFields } from '../cache/share-unchanged.ts'
import { yuanPrice } from '../upstream/yuan.ts'

const ON_SHELF = 1

/**
 * An entry of the listing. One without a product has a code that cannot be part of a SKU id: it counts towards the
 * listing's total and is then left out, like an unreadable row.
 */
export type CatalogEntry =
  | { readonly code: string; readonly product: SupplyProduct }
  | { readonly code: string; readonly unreadable: UnreadableRow }
  | { readonly code: string }

const FIELD_NAMES = {
  goodsNo: 'product code',
  goodsName: 'title',
  packNum: 'pack size',
  packPrice: 'price',
  unitPrice: 'price',
  stockNum: 'stock',
  status: 'status',
}

export function readCatalogPage(data: unknown): NumberedPage<CatalogEntry> {
  const page = object(data, 'data')
  return {
    entries: list(page['list'], 'list').map((goods, i) => readEntry(goods, `${String(page['pageNo'])}.${i}`)),
    total: int(page, 'total'),
    perPage: int(page, 'pageSize', 1),
  }
}

/** More codes than any catalog has; bounds the memory for products that were removed. */
const REMEMBERED_MAX = 200_000

/**
 * Structural sharing: an unchanged product keeps its object from the last read, so caches keyed on it stay valid and the
 * new copy is garbage at once. The catalog is read every minute and before every purchase.
 */
export function entryReuser(): (page: NumberedPage<CatalogEntry>) => NumberedPage<CatalogEntry> {
  const known = new BoundedMap<string, CatalogEntry>(REMEMBERED_MAX)
  const reuse = (entry: CatalogEntry): CatalogEntry => {
    const before = known.get(entry.code)
    if (before && 'product' in before && 'product' in entry && hasSameFields(before.product, entry.product))
      return before
    known.set(entry.code, entry)
    return entry
  }
  return (page) => ({ ...page, entries: page.entries.map(reuse) })
}

/** An unreadable row without a code is identified by its position; no code begins with a space. */
function readEntry(goods: unknown, place: string): CatalogEntry {
  const row = readRow(goods, { kind: 'product', id: 'goodsNo', fieldNames: FIELD_NAMES, read: readProduct })
  return 'unreadable' in row ? { code: row.unreadable.id ?? ` ${place}`, unreadable: row.unreadable } : row
}

function readProduct(goods: Fields): Exclude<CatalogEntry, { readonly unreadable: UnreadableRow }> {
  const vendorSku = vendorCode(goods, 'goodsNo')
  if (vendorSku === undefined) return { code: String(goods['goodsNo']) }

  const brand = optionalText(goods, 'brandName')
  const name = text(goods, 'goodsName')
  const packSize = int(goods, 'packNum', 1)
  const packPriceFen = yuanPrice(goods, 'packPrice')
  const onlyPackPrice = (goods['unitPrice'] ?? null) === null
  const eachPriceFen = onlyPackPrice ? eachOf(packPriceFen, packSize) : yuanPrice(goods, 'unitPrice')
  const product: SupplyProduct = omitUndefined({
    vendorSku,
    title: brand === undefined || name.startsWith(brand) ? name : `${brand} ${name}`,
    brand,
    spec: optionalText(goods, 'spec'),
    category: optionalText(goods, 'cateName'),
    imageUrl: webUrl(goods, 'imgUrl'),
    barcode: optionalText(goods, 'barCode'),
    packSize,
    packPriceFen,
    eachPriceFen,
    // A pack of one: its price is the unit price, nothing is estimated.
    eachPriceDerived: onlyPackPrice && packSize > 1,
    stock: stock(goods, 'stockNum'),
    // A price of zero means that the price is unknown. It would pass every spending limit, so it is not for sale.
    isForSale: int(goods, 'status') === ON_SHELF && packPriceFen > 0 && eachPriceFen > 0,
  })
  return { code: vendorSku, product }
}

export const readSites = (data: unknown): ReadRows<SupplySite> =>
  readRows(list(data, 'sites'), { kind: 'site', id: 'siteId', fieldNames: { siteId: 'id' }, read: readSite })

const readSite = (site: Fields): SupplySite =>
  omitUndefined({
    id: text(site, 'siteId'),
    name: optionalText(site, 'siteName'),
    address: optionalText(site, 'siteAddr'),
  })
