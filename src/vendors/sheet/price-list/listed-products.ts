/** What a price list or a catalogue document gives: products, and which rows were left out and why. */
import { type AskedPack, comparePacks } from '../../packs.ts'
import type { SupplyProduct } from '../../supply-vendor.ts'

export type ListedProduct = SupplyProduct &
  Required<Pick<SupplyProduct, 'units'>> & {
    /** In percent, where its row states one. */
    readonly taxRate?: number
  }

export type LeftOutReason =
  | 'no_sku'
  | 'no_title'
  | 'no_price'
  /** It has a blank or a colon in it, so it cannot be part of a sku_id. */
  | 'unusable_sku'
  /** Another row has the same SKU and says something else. Neither is offered. */
  | 'conflicting'
  /** More cells than the header has: the cells behind an unquoted delimiter are shifted. */
  | 'extra_cells'
  /** Fewer cells than the header has: a delimiter may have been lost. */
  | 'missing_cells'
  | 'unreadable_price'
  /** The price of the pack is a word such as "MKT", and a price of one item stands beside it. */
  | 'price_in_words'
  | 'unreadable_quantity'
  /** A tax that is no rate, such as the letter of a class. */
  | 'unreadable_tax'
  /** A pack price, and no certain number of items in the pack. */
  | 'unknown_pack'
  /** The price of a pack divided by the price of one is not the size of the pack. */
  | 'prices_disagree'
  /** A cell is longer than any text of a list. */
  | 'long_cell'
  | 'other_currency'
  /** Sold by weight or in another unit that is neither an item nor a pack. */
  | 'unknown_unit'
  /** The document says that the line is withdrawn. */
  | 'withdrawn'
  /** The list says that the article is not to be had, and its prices are not certain. */
  | 'not_for_sale'

/** Real lists are half rows without a code or a price, so those never refuse a list. These do when there are too many. */
const UNREADABLE: ReadonlySet<LeftOutReason> = new Set([
  'conflicting',
  'extra_cells',
  'missing_cells',
  'unreadable_price',
  'unreadable_quantity',
  'unreadable_tax',
  'long_cell',
  'other_currency',
])
/** Read without doubt, and not offered until somebody says how many items are in the pack. These refuse no list. */
const WAITING: ReadonlySet<LeftOutReason> = new Set(['unknown_pack', 'prices_disagree'])
/** Listed with its cell, so that nobody looks for the product in vain; no sign of wrong settings. */
const EXPECTED: ReadonlySet<LeftOutReason> = new Set(['price_in_words', 'unusable_sku'])
const UNREADABLE_ONE_IN = 5
const ROWS_TOLD = 5

export interface LeftOut {
  readonly reason: LeftOutReason
  readonly count: number
  /** The first five, counted as a spreadsheet does: the first row of the file is 1. */
  readonly rows: readonly number[]
}

/** A row that states something we cannot read. Rows that state nothing to read are only counted. */
export interface UnreadableListRow {
  readonly row: number
  readonly reason: LeftOutReason
  /** Undefined when the code cannot be read either. */
  readonly vendorSku: string | undefined
  /** The text that the reason is about: that of the pack. */
  readonly text?: string | undefined
  /** The cell that the reason is about. */
  readonly about?: ListCell | undefined
}

export interface ListCell {
  /** Its header. */
  readonly column: string
  readonly value: string
}

export type ReadList = Extract<ProductList, { ok: true }>

/** A column that nobody named and that says of articles that they are not to be had. */
export interface Remark {
  readonly header: string
  readonly rows: number
  readonly example: string
}

export type ProductList =
  | {
      readonly ok: true
      readonly products: readonly ListedProduct[]
      readonly leftOut: readonly LeftOut[]
      readonly unreadable: readonly UnreadableListRow[]
      /** Whose sizes were or have to be said, by text and article. */
      readonly asked: readonly AskedPack[]
      /** Rows that say the same as an earlier one. */
      readonly repeated: number
      /** About rows that were taken and should be looked at. */
      readonly notes?: readonly string[]
      /** Only where no column says whether an article is for sale. */
      readonly remarks?: readonly Remark[]
    }
  | { readonly ok: false; readonly problem: string }

export interface ListRow {
  readonly row: number
  readonly read: ListedProduct | LeftOutReason
  /** As the row states it, also when the rest of it cannot be read. */
  readonly vendorSku?: string | undefined
  /** It states no price at all, so it contradicts no other row. */
  readonly isWithoutPrice?: boolean
  readonly text?: string | undefined
  readonly asked?: AskedPack | undefined
  readonly about?: ListCell | undefined
}

/**
 * The whole list is refused when nothing in it can be offered or waits for a word, or when so much is unreadable that the
 * settings must be wrong. An article is offered when all its rows say the same: one that cannot be read may say something else.
 */
export function collectProducts(rows: readonly ListRow[]): ProductList {
  const bySku = new Map<string, { readonly row: number; readonly product: ListedProduct }[]>()
  const doubted = new Set<string>()
  const leftOut = new Map<LeftOutReason, number[]>()
  const unreadable: UnreadableListRow[] = []
  let waiting = 0
  let expected = 0
  const leave = (reason: LeftOutReason, { row, vendorSku, text, about }: Omit<ListRow, 'read'>) => {
    leftOut.getOrInsertComputed(reason, () => []).push(row)
    // A row without a price is a heading, unless a word stands in its place.
    const isExpected = EXPECTED.has(reason) || (reason === 'no_price' && about !== undefined)
    if (WAITING.has(reason)) waiting += 1
    if (isExpected) expected += 1
    if (UNREADABLE.has(reason) || WAITING.has(reason) || isExpected)
      unreadable.push({ row, reason, vendorSku, ...(text && { text }), ...(about && { about }) })
  }
  for (const entry of rows) {
    const { row, read, vendorSku, isWithoutPrice = false } = entry
    if (typeof read !== 'string') bySku.getOrInsertComputed(read.vendorSku, () => []).push({ row, product: read })
    else {
      leave(read, entry)
      if (vendorSku !== undefined && !isWithoutPrice && read !== 'withdrawn') doubted.add(vendorSku)
    }
  }

  const products: ListedProduct[] = []
  let repeated = 0
  for (const [sku, same] of bySku) {
    const [first, ...others] = same
    if (!first) continue
    if (!doubted.has(sku) && others.every(({ product }) => identityOf(product) === identityOf(first.product))) {
      products.push(first.product)
      repeated += others.length
    } else {
      for (const { row, product } of same) leave('conflicting', { row, vendorSku: product.vendorSku })
    }
  }

  const summary = [...leftOut].map(([reason, found]) => {
    const inOrder = found.toSorted((a, b) => a - b)
    return { reason, count: inOrder.length, rows: inOrder.slice(0, ROWS_TOLD) }
  })
  if (products.length + waiting === 0)
    return { ok: false, problem: `no row can be offered (${describe(summary) || 'there are no rows'})` }
  const count = unreadable.length - waiting - expected
  if (count * UNREADABLE_ONE_IN > count + products.length + repeated + waiting) {
    const reasons = summary.filter(({ reason }) => UNREADABLE.has(reason))
    return { ok: false, problem: `too many rows cannot be read (${describe(reasons)})` }
  }
  unreadable.sort((a, b) => a.row - b.row)
  return { ok: true, products, leftOut: summary, unreadable, asked: askedOf(rows), repeated }
}

/** Two rows that ask the same are one question. */
function askedOf(rows: readonly ListRow[]): readonly AskedPack[] {
  const asked = rows.flatMap(({ asked: pack }) => pack ?? [])
  const questions = new Map(asked.map((pack) => [`${pack.text}\n${pack.vendorSku}`, pack]))
  return [...questions.values()].toSorted(comparePacks)
}

/** One entry for each product, the last one: contradicting rows name the same one. */
export const byProduct = (unreadable: readonly UnreadableListRow[]): readonly UnreadableListRow[] => [
  ...new Map(unreadable.map((row) => [row.vendorSku || `row ${row.row}`, row])).values(),
]

export const isWaiting = ({ reason }: Pick<UnreadableListRow, 'reason'>): boolean => WAITING.has(reason)

/** What an order depends on. Category, brand and stock may differ between two rows of one product. */
const identityOf = (product: ListedProduct): string =>
  JSON.stringify([
    product.title.toLowerCase().replaceAll(/\s+/g, ' '),
    product.units,
    product.packSize,
    product.packPriceFen,
    product.eachPriceFen,
    product.minOrder,
    product.increment,
    product.isForSale,
    product.taxRate,
  ])

const describe = (entries: readonly LeftOut[]): string =>
  entries.map(({ reason, count, rows }) => `${reason}: ${count}, first row ${rows[0]}`).join('; ')

/**
 * A new list that has lost more than half of the products of the one before is refused and the old one stands: it is
 * probably cut off, or the list of another supplier. Counted by SKU, so an exchanged list of equal length shows too. Articles
 * that wait for a word are in the list.
 */
export function losesTooMuch(
  before: readonly ListedProduct[],
  { products, unreadable = [] }: Pick<ReadList, 'products'> & Partial<Pick<ReadList, 'unreadable'>>,
  mostPercent = 50,
): boolean {
  const kept = new Set(products.map(({ vendorSku }) => vendorSku))
  for (const { reason, vendorSku } of unreadable)
    if (vendorSku !== undefined && WAITING.has(reason)) kept.add(vendorSku)
  const lost = before.filter(({ vendorSku }) => !kept.has(vendorSku)).length
  return lost * 100 > before.length * mostPercent
}

/** A code that can be the second half of a sku_id. */
export const isUsableSku = (text: string): boolean => /^[^:\s]{1,100}$/.test(text)

/** Digits of a length that GTINs have. `FL-64132` in a column named UPC is no barcode; the check digit is checked later. */
export const barcodeOf = (text: string): string | undefined => (/^(?:\d{8}|\d{12,14})$/.test(text) ? text : undefined)
