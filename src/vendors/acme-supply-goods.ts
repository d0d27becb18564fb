/** Goods and pickup sites of Acme Supply, in our words. */
import { eachOf } from '../kernel/fen.ts'
import type { SupplyProduct, SupplySite } from './contract.ts'
import type { NumberedPage } from './paging.ts'
import { imageUrl, optionalText, record, records, stock, text, vendorCode, whole } from './shape.ts'
import type { Fields } from './shape.ts'
import { sameFields } from './unchanged.ts'
import { yuanPrice } from './yuan.ts'

const ON_SHELF = 1

/** A code that cannot be part of a sku_id is counted (the listing's total counts it) and then left out. */
export type GoodsEntry = { readonly code: string; readonly product: SupplyProduct } | { readonly code: string }

export function readGoodsPage(data: unknown): NumberedPage<GoodsEntry> {
  const page = record(data, 'data')
  return {
    entries: records(page['list'], 'list').map(readGoods),
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
export function recognising(): (page: NumberedPage<GoodsEntry>) => NumberedPage<GoodsEntry> {
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

function readGoods(goods: Fields): GoodsEntry {
  const vendorSku = vendorCode(goods, 'goodsNo')
  if (vendorSku === undefined) return { code: String(goods['goodsNo']) }

  const brand = optionalText(goods, 'brandName')
  const name = text(goods, 'goodsName')
  const spec = optionalText(goods, 'spec')
  const category = optionalText(goods, 'cateName')
  const image = imageUrl(goods, 'imgUrl')
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

export const readSites = (data: unknown): readonly SupplySite[] => records(data, 'sites').map(readSite)

function readSite(site: Fields): SupplySite {
  const name = optionalText(site, 'siteName')
  const address = optionalText(site, 'siteAddr')
  return { id: text(site, 'siteId'), ...(name && { name }), ...(address && { address }) }
}
