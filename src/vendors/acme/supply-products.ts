/** Goods and pickup sites of Acme Supply, in our words. */
import { eachOf } from '../../kernel/fen.ts'
import type { RefusedRow, SupplyProduct, SupplySite } from '../contract.ts'
import type { NumberedPage } from '../upstream/paging.ts'
import { readRow, readRows } from '../upstream/rows.ts'
import type { ReadRows } from '../upstream/rows.ts'
import { list, optionalText, record, stock, text, vendorCode, webUrl, whole } from '../upstream/read-json.ts'
import type { Fields } from '../upstream/read-json.ts'
import { sameFields } from '../cache/share-unchanged.ts'
import { yuanPrice } from '../upstream/yuan.ts'

const ON_SHELF = 1

/**
 * A code that cannot be part of a sku_id is counted (the listing's total counts it) and then left out; so is a row that
 * cannot be read.
 */
export type GoodsEntry =
  | { readonly code: string; readonly product: SupplyProduct }
  | { readonly code: string; readonly refused: RefusedRow }
  | { readonly code: string }

const GOODS_WORDS = {
  goodsNo: 'product code',
  goodsName: 'title',
  packNum: 'pack size',
  packPrice: 'price',
  unitPrice: 'price',
  stockNum: 'stock',
  status: 'status',
}

export function readGoodsPage(data: unknown): NumberedPage<GoodsEntry> {
  const page = record(data, 'data')
  return {
    entries: list(page['list'], 'list').map((goods, i) => readEntry(goods, `${String(page['pageNo'])}.${i}`)),
    total: whole(page, 'total'),
    perPage: whole(page, 'pageSize', 1),
  }
}

/** More codes than any catalog has: goods that went would otherwise be remembered for ever. */
const REMEMBERED_MAX = 200_000

/**
 * A good that reads as it did last time is the object of last time. The catalog is read once a minute and before every
 * purchase, page by page; what is recognised at once never gets old enough to burden the memory.
 */
export function entryReuser(): (page: NumberedPage<GoodsEntry>) => NumberedPage<GoodsEntry> {
  const known = new Map<string, GoodsEntry>()
  const recognise = (entry: GoodsEntry): GoodsEntry => {
    const before = known.get(entry.code)
    if (before && 'product' in before && 'product' in entry && sameFields(before.product, entry.product)) return before
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(entry.code, entry)
    return entry
  }
  return (page) => ({ ...page, entries: page.entries.map(recognise) })
}

/** A refused row without a code is told apart by its place; no code begins with a space. */
function readEntry(goods: unknown, place: string): GoodsEntry {
  const row = readRow(goods, { kind: 'product', id: 'goodsNo', words: GOODS_WORDS, read: readGoods })
  return 'refused' in row ? { code: row.refused.id ?? ` ${place}`, refused: row.refused } : row
}

function readGoods(goods: Fields): Exclude<GoodsEntry, { readonly refused: RefusedRow }> {
  const vendorSku = vendorCode(goods, 'goodsNo')
  if (vendorSku === undefined) return { code: String(goods['goodsNo']) }

  const brand = optionalText(goods, 'brandName')
  const name = text(goods, 'goodsName')
  const spec = optionalText(goods, 'spec')
  const category = optionalText(goods, 'cateName')
  const image = webUrl(goods, 'imgUrl')
  const barcode = optionalText(goods, 'barCode')
  const packSize = whole(goods, 'packNum', 1)
  const packPriceFen = yuanPrice(goods, 'packPrice')
  const onlyPackPrice = (goods['unitPrice'] ?? null) === null
  const eachPriceFen = onlyPackPrice ? eachOf(packPriceFen, packSize) : yuanPrice(goods, 'unitPrice')
  const product: SupplyProduct = {
    vendorSku,
    title: brand === undefined || name.startsWith(brand) ? name : `${brand} ${name}`,
    ...(brand && { brand }),
    ...(spec && { spec }),
    ...(category && { category }),
    ...(image && { imageUrl: image }),
    ...(barcode && { barcode }),
    packSize,
    packPriceFen,
    eachPriceFen,
    // Sold singly, the pack price is the each price and nothing is estimated.
    eachPriceDerived: onlyPackPrice && packSize > 1,
    stock: stock(goods, 'stockNum'),
    // A price of nothing is a price nobody knows. It would pass every spending limit, so it is not for sale.
    onShelf: whole(goods, 'status') === ON_SHELF && packPriceFen > 0 && eachPriceFen > 0,
  }
  return { code: vendorSku, product }
}

export const readSites = (data: unknown): ReadRows<SupplySite> =>
  readRows(list(data, 'sites'), { kind: 'site', id: 'siteId', words: { siteId: 'id' }, read: readSite })

function readSite(site: Fields): SupplySite {
  const name = optionalText(site, 'siteName')
  const address = optionalText(site, 'siteAddr')
  return { id: text(site, 'siteId'), ...(name && { name }), ...(address && { address }) }
}
