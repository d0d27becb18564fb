/** What a price list or a catalogue document gives: products, and which rows were left out and why. */
import type { SupplyProduct } from '../supply-vendor.ts'

export type ListedProduct = SupplyProduct & Required<Pick<SupplyProduct, 'units'>>

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
  | 'unreadable_quantity'
  | 'other_currency'
  /** Sold by weight or in another unit that is neither an item nor a pack. */
  | 'unknown_unit'
  /** The document says that the line is withdrawn. */
  | 'withdrawn'

/** Real lists are half rows without a code or a price, so those never refuse a list. These do when there are too many. */
const UNREADABLE: ReadonlySet<LeftOutReason> = new Set([
  'conflicting',
  'extra_cells',
  'missing_cells',
  'unreadable_price',
  'unreadable_quantity',
  'other_currency',
])
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
}

export type ProductList =
  | {
      readonly ok: true
      readonly products: readonly ListedProduct[]
      readonly leftOut: readonly LeftOut[]
      readonly unreadable: readonly UnreadableListRow[]
      /** Rows that say the same as an earlier one. */
      readonly repeated: number
      /** About rows that were taken and should be looked at. */
      readonly notes?: readonly string[]
    }
  | { readonly ok: false; readonly problem: string }

export interface ListRow {
  readonly row: number
  readonly read: ListedProduct | LeftOutReason
  /** As the row states it, also when the rest of it cannot be read. */
  readonly vendorSku?: string | undefined
}

/** The whole list is refused when nothing in it can be offered, or when so much is unreadable that the settings must be wrong. */
export function collectProducts(rows: readonly ListRow[]): ProductList {
  const bySku = new Map<string, { readonly row: number; readonly product: ListedProduct }[]>()
  const leftOut = new Map<LeftOutReason, number[]>()
  const unreadable: UnreadableListRow[] = []
  const leave = (reason: LeftOutReason, row: number, vendorSku: string | undefined) => {
    leftOut.getOrInsertComputed(reason, () => []).push(row)
    if (UNREADABLE.has(reason)) unreadable.push({ row, reason, vendorSku })
  }
  for (const { row, read, vendorSku } of rows) {
    if (typeof read === 'string') leave(read, row, vendorSku)
    else bySku.getOrInsertComputed(read.vendorSku, () => []).push({ row, product: read })
  }

  const products: ListedProduct[] = []
  let repeated = 0
  for (const same of bySku.values()) {
    const [first, ...others] = same
    if (!first) continue
    if (others.every(({ product }) => identityOf(product) === identityOf(first.product))) {
      products.push(first.product)
      repeated += others.length
    } else {
      for (const { row, product } of same) leave('conflicting', row, product.vendorSku)
    }
  }

  const summary = [...leftOut].map(([reason, found]) => {
    const inOrder = found.toSorted((a, b) => a - b)
    return { reason, count: inOrder.length, rows: inOrder.slice(0, ROWS_TOLD) }
  })
  if (products.length === 0)
    return { ok: false, problem: `no row can be offered (${describe(summary) || 'there are no rows'})` }
  const count = unreadable.length
  if (count * UNREADABLE_ONE_IN > count + products.length + repeated) {
    const reasons = summary.filter(({ reason }) => UNREADABLE.has(reason))
    return { ok: false, problem: `too many rows cannot be read (${describe(reasons)})` }
  }
  unreadable.sort((a, b) => a.row - b.row)
  return { ok: true, products, leftOut: summary, unreadable, repeated }
}

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
  ])

const describe = (entries: readonly LeftOut[]): string =>
  entries.map(({ reason, count, rows }) => `${reason}: ${count}, first row ${rows[0]}`).join('; ')

/**
 * A new list that has lost more than half of the products of the one before is refused and the old one stands: it is
 * probably cut off, or the list of another supplier. Counted by SKU, so an exchanged list of equal length shows too.
 */
export function losesTooMuch(
  before: readonly ListedProduct[],
  after: readonly ListedProduct[],
  mostPercent = 50,
): boolean {
  const kept = new Set(after.map(({ vendorSku }) => vendorSku))
  const lost = before.filter(({ vendorSku }) => !kept.has(vendorSku)).length
  return lost * 100 > before.length * mostPercent
}

/** A code that can be the second half of a sku_id. */
export const isUsableSku = (text: string): boolean => /^[^:\s]{1,100}$/.test(text)

/** Digits of a length that GTINs have. `FL-64132` in a column named UPC is no barcode; the check digit is checked later. */
export const barcodeOf = (text: string): string | undefined => (/^(?:\d{8}|\d{12,14})$/.test(text) ? text : undefined)
