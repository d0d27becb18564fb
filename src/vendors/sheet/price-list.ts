/**
 * A supplier's price list (CSV) to products. Pure: bytes and settings in, products and a report out. Rows without a code,
 * a title or a price are left out and counted; a list that cannot be understood as a whole is refused with the reason.
 */
import { eachOf, fen } from '../../kernel/fen.ts'
import { type DecimalSign, minorOf } from '../../kernel/minor-units.ts'
import { type Encoding, decodeText, headerText, isBlankRow, isNumberTail, parseRows } from './csv-text.ts'
import { currencySigns } from './currency-signs.ts'
import { barcodeOf, collectProducts, isUsableSku } from './listed-products.ts'
import type { LeftOutReason, ListedProduct, ProductList } from './listed-products.ts'
import { countOf, packCountOf, packSizeOf } from './pack-size.ts'

export const COLUMNS = [
  'sku',
  'title',
  'brand',
  'category',
  'barcode',
  'pack',
  'pack_size',
  'pack_price',
  'each_price',
  'stock',
  'on_shelf',
] as const
export type Column = (typeof COLUMNS)[number]

export interface PriceListSettings {
  readonly encoding: Encoding
  readonly delimiter: string
  readonly decimal: DecimalSign
  /** Rows above the header. */
  readonly skipRows: number
  /** Header texts, compared trimmed. */
  readonly columns: Readonly<Partial<Record<Column, string>>>
  readonly currency: string
  /** Digits of the currency. */
  readonly digits: number
}

const refuse = (problem: string): ProductList => ({ ok: false, problem })

export function readPriceList(bytes: Uint8Array, settings: PriceListSettings): ProductList {
  const { encoding, delimiter, skipRows, columns } = settings
  const text = decodeText(bytes, encoding)
  if (text === undefined) return refuse(`the file is not ${encoding} text`)
  const parsed = parseRows(text, delimiter)
  if (!parsed.ok) return refuse(parsed.problem)
  const header = parsed.rows[skipRows]
  if (!header || isBlankRow(header)) return refuse(`row ${skipRows + 1} should be the header and is empty`)
  const places = findColumns(header, columns)
  if (typeof places === 'string') return refuse(places)

  const amountOf = priceReader(settings)
  const rows = parsed.rows.flatMap((cells, i) => {
    if (i <= skipRows || isBlankRow(cells)) return []
    const cell = (column: Column): string => cells[places.get(column) ?? -1] ?? ''
    const read = readRow(cell, amountOf, settings.decimal)
    const shift =
      typeof read !== 'string' && isNumberTail(parsed.rows[i + 1]) ? 'missing_cells' : shiftOf(cells, header, read)
    return [{ row: i + 1, read: shift ?? read, vendorSku: cell('sku') || undefined }]
  })
  const list = collectProducts(rows)
  const whole = parsed.rows.slice(skipRows + 1).filter(({ length }) => length === header.length)
  const notes = list.ok ? notesOf(whole, places, amountOf, settings.decimal) : []
  return list.ok && notes.length > 0 ? { ...list, notes } : list
}

/**
 * A row with fewer cells than the header may have lost any separator, so any of its numbers may be that of another column, or
 * two numbers in one. Blank cells that a program left out at its end look the same. Titles of sections have no price.
 */
function shiftOf(
  cells: readonly string[],
  header: readonly string[],
  read: ListedProduct | LeftOutReason,
): LeftOutReason | undefined {
  if (!isBlankRow(cells.slice(header.length))) return 'extra_cells'
  if (cells.length === header.length || typeof read === 'string') return undefined
  return cells.length < header.length ? 'missing_cells' : 'extra_cells'
}

const NOTED_MAX = 5
const quote = (texts: ReadonlySet<string>): string =>
  [...texts]
    .slice(0, NOTED_MAX)
    .map((text) => `"${text.slice(0, 40)}"`)
    .join(', ') + (texts.size > NOTED_MAX ? ', …' : '')

/** What was taken in a way that the supplier may not have meant: reported, so that nobody buys a case as one item. */
function notesOf(
  rows: readonly (readonly string[])[],
  places: ReadonlyMap<Column, number>,
  amountOf: PriceReader,
  decimal: DecimalSign,
): readonly string[] {
  const [packs, words] = [new Set<string>(), new Set<string>()]
  for (const cells of rows) {
    const cell = (column: Column): string => cells[places.get(column) ?? -1] ?? ''
    if (typeof readRow(cell, amountOf, decimal) === 'string') continue
    const pack = cell('pack_size') || cell('pack')
    const isPriceOfPack = amountOf(cell('pack_price')) !== undefined && amountOf(cell('each_price')) === undefined
    if (isPriceOfPack && sizeIn(cell, decimal) === undefined && pack !== '' && !SINGLE.test(pack)) packs.add(pack)
    const word = cell('on_shelf').toLowerCase()
    if (!OFF_SHELF.has(word) && !ON_SHELF.has(word)) words.add(cell('on_shelf'))
  }
  return [
    ...(packs.size > 0
      ? [`the pack ${quote(packs)} states no size that can be read, so the price counts as that of one item`]
      : []),
    ...(words.size > 0 ? [`${quote(words)} in the column on_shelf is not known and counts as for sale`] : []),
  ]
}

/** Where each configured column stands, or why the list cannot be read by these settings. */
function findColumns(
  header: readonly string[],
  columns: PriceListSettings['columns'],
): ReadonlyMap<Column, number> | string {
  for (const needed of ['sku', 'title'] as const)
    if (columns[needed] === undefined) return `the settings name no ${needed} column`
  if (columns.pack_price === undefined && columns.each_price === undefined) return 'the settings name no price column'
  const places = new Map<Column, number>()
  for (const column of COLUMNS) {
    const stated = columns[column]
    if (stated === undefined) continue
    const name = headerText(stated)
    const found = header.flatMap((cell, i) => (headerText(cell) === name ? [i] : []))
    const [place] = found
    if (place === undefined)
      return `there is no column "${name}" for ${column}; the header has ${header.filter(Boolean).join(', ').slice(0, 200)}`
    // Two tables side by side repeat their headers: reading only the left one would pass for the whole list.
    if (found.length > 1) return `the header has "${name}" ${found.length} times, so ${column} is not certain`
    places.set(column, place)
  }
  return places
}

/** An amount, undefined where the cell states none, or `unreadable`. */
type PriceReader = (cell: string) => number | undefined | 'unreadable'

/** Blank, `-` and words such as "call" state no price; neither does 0, which would pass every spending limit. */
function priceReader({ currency, digits, decimal }: PriceListSettings): PriceReader {
  const around = currencySigns(currency)
  return (cell) => {
    if (!/\d/.test(cell)) return undefined
    const amount = minorOf(cell.replaceAll(around, ''), digits, decimal)
    if (amount === undefined || amount < 0) return 'unreadable'
    return amount === 0 ? undefined : amount
  }
}

const OFF_SHELF: ReadonlySet<string> = new Set(['0', 'no', 'false'])
const ON_SHELF: ReadonlySet<string> = new Set(['', '1', 'yes', 'true'])
/** Pack texts of what is sold singly. */
const SINGLE = /^(?:1|ea|each|pcs?|piece)$/i

const sizeIn = (cell: (column: Column) => string, decimal: DecimalSign): number | 'unreadable' | undefined =>
  packCountOf(cell('pack_size'), decimal) ?? packSizeOf(cell('pack'))

function readRow(
  cell: (column: Column) => string,
  amountOf: PriceReader,
  decimal: DecimalSign,
): ListedProduct | LeftOutReason {
  const vendorSku = cell('sku')
  const title = cell('title').replaceAll(/\s+/g, ' ')
  if (vendorSku === '') return 'no_sku'
  if (title === '') return 'no_title'
  const packPrice = amountOf(cell('pack_price'))
  const eachPrice = amountOf(cell('each_price'))
  if (packPrice === 'unreadable' || eachPrice === 'unreadable') return 'unreadable_price'
  const size = sizeIn(cell, decimal)
  if (size === 'unreadable') return 'unreadable_quantity'
  const prices = pricesOf(packPrice, eachPrice, size)
  if (!prices) return 'no_price'
  if (!isUsableSku(vendorSku)) return 'unusable_sku'
  const [brand, category, pack] = [cell('brand'), cell('category'), cell('pack')]
  const barcode = barcodeOf(cell('barcode'))
  return {
    vendorSku,
    title,
    ...(brand && { brand }),
    ...(category && { category }),
    ...(pack && { spec: pack }),
    ...(barcode && { barcode }),
    ...prices,
    stock: stockOf(cell('stock'), decimal),
    isForSale: !OFF_SHELF.has(cell('on_shelf').toLowerCase()),
  }
}

type Prices = Pick<ListedProduct, 'units' | 'packSize' | 'packPriceFen' | 'eachPriceFen' | 'eachPriceDerived'>

/**
 * A pack price with a size is a pack; with an each price beside it both are sold. Without a size the price is that of one
 * item and is never divided. An each price that was derived only serves comparison: the supplier does not sell singly.
 */
export function pricesOf(
  packPrice: number | undefined,
  eachPrice: number | undefined,
  size: number | undefined,
): Prices | undefined {
  if (packPrice !== undefined && size !== undefined && size > 1) {
    const pack = { packSize: size, packPriceFen: fen(packPrice) }
    return eachPrice === undefined
      ? { ...pack, units: 'pack', eachPriceFen: eachOf(fen(packPrice), size), eachPriceDerived: true }
      : { ...pack, units: 'both', eachPriceFen: fen(eachPrice), eachPriceDerived: false }
  }
  const price = eachPrice ?? packPrice
  if (price === undefined) return undefined
  return { units: 'each', packSize: 1, packPriceFen: fen(price), eachPriceFen: fen(price), eachPriceDerived: false }
}

/** A larger number is a code. */
const STOCK_MAX = 999_999_999

/** `7.0` is 7. Words and fractions tell no number; below zero means that there is nothing. */
function stockOf(cell: string, decimal: DecimalSign): number | null {
  const stock = countOf(cell, decimal)
  if (stock === undefined || stock > STOCK_MAX) return null
  return Math.max(0, stock)
}
