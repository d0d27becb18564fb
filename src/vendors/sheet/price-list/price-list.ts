/**
 * A supplier's price list (CSV or a workbook) to products. Pure: bytes and settings in, products and a report out. Rows without a code,
 * a title or a price are left out and counted; a list that cannot be understood as a whole is refused with the reason.
 */
import { hash } from 'node:crypto'
import { eachOf, fen } from '../../../kernel/fen.ts'
import { type DecimalSign, minorOf } from '../../../kernel/minor-units.ts'
import { agreesWithEach } from '../../../kernel/pack.ts'
import { count } from '../../../kernel/text.ts'
import { headerText, isBlankRow, isNumberTail } from '../documents/csv/csv-text.ts'
import { type AskedPack, type FindWord, type PackWord, packText, sizeByPrices } from '../../packs.ts'
import { isWorkbook } from '../workbook/workbook.ts'
import { currencySigns } from './currency-signs.ts'
import { barcodeOf, collectProducts, isUsableSku } from './listed-products.ts'
import type {
  LeftOutReason,
  ListedProduct,
  ListRow,
  ProductList,
  Remark,
  UnreadableListRow,
} from './listed-products.ts'
import { isKnownStatus, isOffShelf, isOffWord, saysUnavailable } from './availability.ts'
import { type RowSettings, forEachListRow } from './list-rows.ts'
import { countOf, isCaseWord, isItemWord, isSingleItem, packCountOf, packTextSize } from './pack-size.ts'
import { taxRateOf } from './tax-rate.ts'

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
  'tax',
  'stock',
  'on_shelf',
] as const
export type Column = (typeof COLUMNS)[number]

export interface PriceListSettings extends RowSettings {
  /** Rows above the header. */
  readonly skipRows: number
  /** Header texts, compared trimmed. */
  readonly columns: Readonly<Partial<Record<Column, string>>>
  readonly currency: string
  /** Digits of the currency. */
  readonly digits: number
  /** What was said about packs without a certain size. */
  readonly wordFor?: FindWord
}

const refuse = (problem: string): ProductList => ({ ok: false, problem })

/** A longer cell is two that lost a separator, or damage; no part of it is used. */
const CELL_CHARACTERS_MAX = 1_000

export function readPriceList(bytes: Uint8Array, settings: PriceListSettings): ProductList {
  const { skipRows, columns } = settings
  // Cells of a workbook stand in their columns: none can be shifted, and what is beside the table is not part of it.
  const isGrid = isWorkbook(bytes)
  const priceOf = priceReader(settings)
  const sizeOf = sizeReader(settings.decimal)
  const rows: ListRow[] = []
  const unknownWords = new Set<string>()
  const remarks = new Map<number, Remark>()
  /** Articles that are not to be had, with the word of the column that says so. */
  const off = new Map<string, string>()
  /** Rows without an article number, by what stands for it. */
  const named = { barcode: 0, title: 0 }
  let header: readonly string[] | undefined
  let places: ReadonlyMap<Column, number> | string = new Map()
  /** The row before this one waits, because a line end in a number shows only in the next row. */
  let waiting: { readonly cells: readonly string[]; readonly row: number } | undefined
  const finish = (next?: typeof waiting) => {
    const current = waiting
    waiting = next
    if (!current || !header || typeof places === 'string' || isBlankRow(current.cells)) return
    const { cells } = current
    const at = places
    const cell = (column: Column): string => cells[at.get(column) ?? -1] ?? ''
    const { read, asked, about }: ReadRow = cells.some(({ length }) => length > CELL_CHARACTERS_MAX)
      ? { read: 'long_cell' }
      : readRow(cell, { priceOf, sizeOf, decimal: settings.decimal, wordFor: settings.wordFor })
    const shift = isGrid
      ? undefined
      : typeof read !== 'string' && isNumberTail(next?.cells)
        ? 'missing_cells'
        : shiftOf(cells, header, read)
    if (typeof read !== 'string' && shift === undefined && !isKnownStatus(cell('on_shelf')))
      unknownWords.add(cell('on_shelf'))
    if (shift === undefined && (typeof read !== 'string' || isAboutPack(read))) noteRemarks(remarks, header, cells, at)
    const priceCells = `${cell('pack_price')}${cell('each_price')}`
    const { vendorSku, from } = articleOf(cell)
    if (shift === undefined && (typeof read === 'string' ? read === 'not_for_sale' : !read.isForSale))
      off.set(vendorSku, isOffShelf(cell('on_shelf')) ? cell('on_shelf') : '')
    if (typeof read !== 'string' && from !== 'code') named[from] += 1
    rows.push({
      row: current.row,
      read: shift ?? read,
      vendorSku: vendorSku.slice(0, CELL_CHARACTERS_MAX) || undefined,
      isWithoutPrice: !/\d/.test(priceCells) && read !== 'not_for_sale',
      text: packText(cell('pack_size'), cell('pack')),
      ...(shift === undefined && { asked }),
      ...(shift === undefined && about && { about: { column: headerText(columns[about] ?? ''), value: cell(about) } }),
    })
  }
  const file = forEachListRow(bytes, settings, (cells, row) => {
    if (row > skipRows + 1) finish({ cells, row })
    else if (row === skipRows + 1) {
      header = cells
      places = findColumns(cells, columns)
    }
  })
  if (!file.ok) return refuse(file.problem)
  if (!header || isBlankRow(header)) return refuse(`row ${skipRows + 1} should be the header and is empty`)
  if (typeof places === 'string') return refuse(places)
  finish()

  const list = collectProducts(rows)
  if (!list.ok && file.notes.length > 0) return refuse([list.problem, ...file.notes].join('; '))
  if (!list.ok) return list
  const isNamed = columns.on_shelf !== undefined
  const notes = [
    ...file.notes,
    ...nameNotes(named),
    ...offNotes(off, columns.on_shelf),
    ...(isNamed ? [...remarks.values()].map(remarkNote) : []),
    ...notesOf(list.unreadable, unknownWords),
  ]
  return {
    ...list,
    ...(notes.length > 0 && { notes }),
    ...(!isNamed && remarks.size > 0 && { remarks: [...remarks.values()] }),
  }
}

/** Columns that nobody named and that say of articles that they are not to be had. One that is there twice cannot be named. */
function noteRemarks(
  remarks: Map<number, Remark>,
  header: readonly string[],
  cells: readonly string[],
  named: ReadonlyMap<Column, number>,
): void {
  const taken = new Set(named.values())
  cells.forEach((text, place) => {
    const name = headerText(header[place] ?? '')
    if (text === '' || name === '' || taken.has(place) || !(saysUnavailable(text) || isOffWord(text))) return
    if (header.filter((each) => headerText(each) === name).length > 1) return
    const known = remarks.get(place)
    remarks.set(place, { header: name, rows: (known?.rows ?? 0) + 1, example: known?.example ?? text.slice(0, 40) })
  })
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
  if (read === 'long_cell') return undefined
  if (!isBlankRow(cells.slice(header.length))) return 'extra_cells'
  if (cells.length === header.length || (typeof read === 'string' && !isAboutPack(read))) return undefined
  return cells.length < header.length ? 'missing_cells' : 'extra_cells'
}

const isAboutPack = (reason: LeftOutReason): boolean => reason === 'unknown_pack' || reason === 'prices_disagree'

function nameNotes({ barcode, title }: { readonly barcode: number; readonly title: number }): readonly string[] {
  if (barcode + title === 0) return []
  const by = [
    ...(barcode > 0 ? [`${barcode} by ${barcode === 1 ? 'its' : 'their'} barcode`] : []),
    ...(title > 0 ? [`${title} by a number made from ${title === 1 ? 'its' : 'their'} title`] : []),
  ]
  return [`${count(barcode + title, 'row')} without an article number: named ${by.join(', ')}`]
}

/** How many were taken off, and by which words. */
function offNotes(off: ReadonlyMap<string, string>, column: string | undefined): readonly string[] {
  if (off.size === 0) return []
  const words = new Set([...off.values()].filter((word) => word !== ''))
  const by = words.size === 0 || column === undefined ? '' : ` (${quote(words)} in the column "${headerText(column)}")`
  return [`${count(off.size, 'product')} not for sale by the list${by}`]
}

/** Only one column can say whether an article is for sale. */
const remarkNote = ({ header, rows, example }: Remark): string =>
  `the column "${header}" says of ${count(rows, 'article')} that ${rows === 1 ? 'it is' : 'they are'} not to be had ("${example}"); another column was chosen for that, so it does not count`

const NOTED_MAX = 5
const quote = (texts: ReadonlySet<string>): string =>
  [...texts]
    .slice(0, NOTED_MAX)
    .map((text) => `"${text.slice(0, 40)}"`)
    .join(', ') + (texts.size > NOTED_MAX ? ', …' : '')

/** What somebody has to say or should look at. */
function notesOf(unreadable: readonly UnreadableListRow[], words: ReadonlySet<string>): readonly string[] {
  const packs = new Set(unreadable.flatMap(({ reason, text = '' }) => (reason === 'unknown_pack' ? [text] : [])))
  return [
    ...(packs.size > 0
      ? [`the pack ${quote(packs)} states no certain number of items, so these articles cannot be ordered`]
      : []),
    ...(words.size > 0 ? [`${quote(words)} in the column on_shelf is not known and counts as for sale`] : []),
  ]
}

/** Where each configured column stands, or why the list cannot be read by these settings. */
function findColumns(
  header: readonly string[],
  columns: PriceListSettings['columns'],
): ReadonlyMap<Column, number> | string {
  if (columns.title === undefined) return 'the settings name no title column'
  if (columns.pack_price === undefined && columns.each_price === undefined) return 'the settings name no price column'
  if (columns.each_price === undefined && columns.pack === undefined && columns.pack_size === undefined)
    return 'the settings name the price of a pack and no column with its size (pack or pack_size); the price of one item is each_price'
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
type Read<T> = T | undefined | 'unreadable'

interface PriceReader {
  readonly pack: (cell: string) => Read<number>
  readonly each: (cell: string) => Read<EachPrice>
}

/** A price of one item. Computed ones have more digits than the currency: nothing is sold at such a price. */
interface EachPrice {
  /** Rounded to the minor unit. */
  readonly rounded: number
  /** In minor units, and what its last digit is worth. */
  readonly value: number
  readonly step: number
}

const isExact = ({ step }: EachPrice): boolean => step === 1

/** `15.93/cs`, `0.62 per can` */
const WITH_UNIT = /^(.*\d[^\d/]*?)(?: ?\/ ?| (?:per|je|pro|par|por) )(\p{L}+)\.?$/iu
/** Digits behind those of the currency that are compared; a spreadsheet may show fifteen. */
const FINER = 4

/** Blank, `-` and words such as "call" state no price; neither does 0, which would pass every spending limit. */
function priceReader({ currency, digits, decimal }: PriceListSettings): PriceReader {
  const around = currencySigns(currency)
  const numberIn = (cell: string, isOwnUnit: (word: string) => boolean): string => {
    const [, amount = cell, unit = ''] = WITH_UNIT.exec(cell) ?? []
    return (unit !== '' && isOwnUnit(unit) ? amount : cell).trim().replaceAll(around, '')
  }
  const amountOf = (text: string): Read<number> => {
    const amount = minorOf(text, digits, decimal)
    if (amount === undefined || amount < 0) return 'unreadable'
    return amount === 0 ? undefined : amount
  }
  const longer = new RegExp(String.raw`([${decimal}]\d{${digits + FINER}})\d+$`)
  const finerOf = (text: string): Read<EachPrice> => {
    const [, fraction = ''] = text.replace(longer, '$1').split(decimal)
    const amount = minorOf(text.replace(longer, '$1'), digits + FINER, decimal)
    if (amount === undefined || amount <= 0 || fraction.length <= digits) return 'unreadable'
    const value = amount / 10 ** FINER
    return { rounded: Math.max(1, Math.round(value)), value, step: 10 ** (digits - fraction.length) }
  }
  return {
    pack: (cell) => (/\d/.test(cell) ? amountOf(numberIn(cell, isCaseWord)) : undefined),
    each(cell) {
      if (!/\d/.test(cell)) return undefined
      const text = numberIn(cell, isItemWord)
      const amount = amountOf(text)
      if (amount === 'unreadable') return finerOf(text)
      return amount === undefined ? undefined : { rounded: amount, value: amount, step: 1 }
    },
  }
}

/** By text: a list of thousands of rows has a few dozen pack texts. */
type SizeReader = (stated: string, text: string) => PackSize | 'unreadable'

function sizeReader(decimal: DecimalSign): SizeReader {
  const known = new Map<string, PackSize | 'unreadable'>()
  return (stated, text) => {
    const key = `${stated}\n${text}`
    if (!known.has(key)) known.set(key, sizeIn(stated, text, decimal))
    return known.get(key)
  }
}

function sizeIn(stated: string, text: string, decimal: DecimalSign): PackSize | 'unreadable' {
  const counted = packCountOf(stated, decimal)
  const told = isSingleItem(text) ? 'one' : packTextSize(text)
  const isNumber = /^[\d.,'’\s]*\d[\d.,'’\s]*$/.test(stated)
  // A stated 1 beside a pack of 24: one of the two is wrong.
  if (counted === undefined && typeof told === 'number' && (isNumber || isSingleItem(stated))) return undefined
  if (counted === undefined) return isSingleItem(stated) ? 'one' : told
  return counted === 'unreadable' || told === undefined || told === counted ? counted : undefined
}

interface RowReaders {
  readonly priceOf: PriceReader
  readonly sizeOf: SizeReader
  readonly decimal: DecimalSign
  readonly wordFor: FindWord | undefined
}

interface ReadRow {
  readonly read: ListedProduct | LeftOutReason
  /** Its size is not certain by the list alone. */
  readonly asked?: AskedPack
  /** The column whose cell the reason is about. */
  readonly about?: Column
}

function readRow(cell: (column: Column) => string, readers: RowReaders): ReadRow {
  const isForSale = !isOffShelf(cell('on_shelf')) && ![cell('title'), cell('stock')].some(saysUnavailable)
  const row = readOffer(cell, readers, isForSale)
  // Nobody is asked about what is not to be had.
  return !isForSale && typeof row.read === 'string' && row.read !== 'no_sku' && row.read !== 'no_title'
    ? { read: 'not_for_sale' }
    : row
}

function readOffer(cell: (column: Column) => string, readers: RowReaders, isForSale: boolean): ReadRow {
  const read = readPrices(cell, readers)
  if (typeof read === 'string') return { read }
  if ('about' in read) return { read: read.reason, about: read.about }
  const { vendorSku, title, prices, asked } = read
  if (typeof prices === 'string') return { read: prices, ...(asked && { asked }) }
  const [brand, category, pack] = [cell('brand'), cell('category'), cell('pack')]
  const barcode = barcodeOf(cell('barcode'))
  const taxRate = taxRateOf(cell('tax'), readers.decimal)
  if (taxRate === 'unreadable') return { read: 'unreadable_tax', about: 'tax' }
  const product: ListedProduct = {
    vendorSku,
    title,
    ...(brand && { brand }),
    ...(category && { category }),
    ...(pack && { spec: pack }),
    ...(barcode && { barcode }),
    ...prices,
    ...(taxRate !== undefined && { taxRate }),
    stock: stockOf(cell('stock'), readers.decimal),
    isForSale,
  }
  return { read: product, ...(asked && { asked }) }
}

interface PricedRow extends Pick<ListedProduct, 'vendorSku' | 'title'>, Pick<ReadRow, 'asked'> {
  readonly prices: Prices | LeftOutReason
}

const titleOf = (cell: (column: Column) => string): string => cell('title').replaceAll(/\s+/g, ' ')

/** Sums and charges stand in lists like articles, without a number. */
const NO_ARTICLE =
  /^(?:(?:sub|grand )?total|(?:zwischen|gesamt)?summe|sous-total|totale|suma|avg|average|durchschnitt|moyenne|promedio|terms|zahlungsbedingungen)\b|^(?:合计|小计|总计|运费|平均)|\b(?:fee|charge|surcharge|frais de port|frachtkosten|versandkosten|gastos de envío|spese di spedizione)\b/iu
const TITLE_HASH_DIGITS = 12

/**
 * The article number; where a row with a price has none, its barcode, else a number made from its title, which stays the same as
 * long as the title does.
 */
function articleOf(cell: (column: Column) => string): {
  readonly vendorSku: string
  readonly from: 'code' | 'barcode' | 'title'
} {
  const code = cell('sku')
  if (code !== '' || !/[1-9]/.test(`${cell('pack_price')}${cell('each_price')}`))
    return { vendorSku: code, from: 'code' }
  const barcode = barcodeOf(cell('barcode'))
  if (barcode !== undefined) return { vendorSku: barcode, from: 'barcode' }
  const title = titleOf(cell).normalize('NFKC').toLowerCase()
  if (title === '' || NO_ARTICLE.test(title)) return { vendorSku: '', from: 'code' }
  return { vendorSku: `t-${hash('sha256', title, 'hex').slice(0, TITLE_HASH_DIGITS)}`, from: 'title' }
}

/** A row that states something which cannot be read, and where. */
interface UnreadCell {
  readonly reason: LeftOutReason
  readonly about: Column
}

function readPrices(
  cell: (column: Column) => string,
  { priceOf, sizeOf, wordFor }: RowReaders,
): PricedRow | UnreadCell | LeftOutReason {
  const { vendorSku } = articleOf(cell)
  const title = titleOf(cell)
  if (vendorSku === '') return 'no_sku'
  if (title === '') return 'no_title'
  const packPrice = priceOf.pack(cell('pack_price'))
  const each = priceOf.each(cell('each_price'))
  if (packPrice === 'unreadable') return { reason: 'unreadable_price', about: 'pack_price' }
  if (each === 'unreadable') return { reason: 'unreadable_price', about: 'each_price' }
  const size = sizeOf(cell('pack_size'), cell('pack'))
  if (size === 'unreadable') return { reason: 'unreadable_quantity', about: 'pack_size' }
  // "MKT": the pack has a price, and nobody knows which.
  const hasWord = packPrice === undefined && /\p{L}/u.test(cell('pack_price'))
  if (hasWord && each) return { reason: 'price_in_words', about: 'pack_price' }
  if (packPrice === undefined && !each)
    return hasWord || /\p{L}/u.test(cell('each_price'))
      ? { reason: 'no_price', about: hasWord ? 'pack_price' : 'each_price' }
      : 'no_price'
  if (packPrice === undefined && each && !isExact(each)) return { reason: 'unreadable_price', about: 'each_price' }
  if (!isUsableSku(vendorSku)) return { reason: 'unusable_sku', about: 'sku' }
  const certain = pricesOf(packPrice, each?.rounded, size)
  if (packPrice === undefined || typeof certain !== 'string' || !isAboutPack(certain))
    return { vendorSku, title, prices: each && !isExact(each) ? onlyPack(certain) : certain }
  const text = packText(cell('pack_size'), cell('pack'))
  const suggested = each && sizeByPrices(packPrice, each.value, each.step)
  const { prices, asked } = askAboutPack(
    { vendorSku, title, text, packPrice, eachPrice: each?.rounded, reason: certain, suggested },
    wordFor,
  )
  return { vendorSku, title, prices: each && !isExact(each) ? onlyPack(prices) : prices, asked }
}

/** An each price with more digits than the currency only says that the size is right. */
const onlyPack = (prices: Prices | LeftOutReason): Prices | LeftOutReason =>
  typeof prices !== 'string' && prices.units === 'both'
    ? { ...prices, units: 'pack', eachPriceFen: eachOf(prices.packPriceFen, prices.packSize), eachPriceDerived: true }
    : prices

export type Prices = Pick<ListedProduct, 'units' | 'packSize' | 'packPriceFen' | 'eachPriceFen' | 'eachPriceDerived'>

/** Items in a pack, `one` for what is certainly sold singly; undefined: not certain. */
export type PackSize = number | 'one' | undefined

/**
 * A pack price with a size is a pack; with an each price beside it that agrees both are sold. Without a certain size nothing is
 * sold, also where an each price stands beside it: the supplier may sell whole packs only. An each price that was derived only
 * serves comparison: the supplier does not sell singly.
 */
export function pricesOf(
  packPrice: number | undefined,
  eachPrice: number | undefined,
  size: PackSize,
): Prices | LeftOutReason {
  if (packPrice === undefined) return eachPrice === undefined ? 'no_price' : singly(eachPrice)
  if (eachPrice === undefined) {
    if (size === undefined) return 'unknown_pack'
    if (size === 'one') return singly(packPrice)
    const eachPriceFen = eachOf(fen(packPrice), size)
    return { units: 'pack', packSize: size, packPriceFen: fen(packPrice), eachPriceFen, eachPriceDerived: true }
  }
  if (size === undefined || size === 'one')
    return packPrice === eachPrice
      ? singly(eachPrice)
      : size === undefined && packPrice > eachPrice
        ? 'unknown_pack'
        : 'prices_disagree'
  if (!agreesWithEach(packPrice, eachPrice, size)) return 'prices_disagree'
  return {
    units: 'both',
    packSize: size,
    packPriceFen: fen(packPrice),
    eachPriceFen: fen(eachPrice),
    eachPriceDerived: false,
  }
}

export interface PackQuestion extends Pick<AskedPack, 'vendorSku' | 'title' | 'text'> {
  readonly packPrice: number
  readonly eachPrice: number | undefined
  readonly reason: LeftOutReason
  /** The only size that both prices agree on. */
  readonly suggested?: number | undefined
}

/** A pack whose size is not certain: its prices by what was said about it, and the question as people see it. */
export function askAboutPack(
  { packPrice, eachPrice, reason, suggested, ...question }: PackQuestion,
  wordFor?: FindWord,
): { readonly prices: Prices | LeftOutReason; readonly asked: AskedPack } {
  const word = wordFor?.(question.text, question.vendorSku)
  const prices = word && pricesByWord(packPrice, eachPrice, word)
  return {
    prices: prices ?? reason,
    asked: {
      ...question,
      reason: reason === 'prices_disagree' ? 'prices_disagree' : 'unknown_size',
      packPriceFen: fen(packPrice),
      ...(eachPrice !== undefined && { eachPriceFen: fen(eachPrice) }),
      ...(suggested !== undefined && { suggested }),
      ...(prices && { contains: word.contains }),
    },
  }
}

/**
 * Undefined: the word does not answer for this row. One item is only believed where the price of one says the same; and a word
 * about a text does not count for an article whose price of one contradicts it. A word about the article does: the pack
 * is then what is sold.
 */
function pricesByWord(
  packPrice: number,
  eachPrice: number | undefined,
  { contains, isForArticle }: PackWord,
): Prices | undefined {
  if (contains === 1) return eachPrice === packPrice ? singly(packPrice) : undefined
  const agrees = eachPrice !== undefined && agreesWithEach(packPrice, eachPrice, contains)
  if (eachPrice !== undefined && !agrees && !isForArticle) return undefined
  const prices = pricesOf(packPrice, agrees ? eachPrice : undefined, contains)
  return typeof prices === 'string' ? undefined : prices
}

const singly = (price: number): Prices => ({
  units: 'each',
  packSize: 1,
  packPriceFen: fen(price),
  eachPriceFen: fen(price),
  eachPriceDerived: false,
})

/** A larger number is a code. */
const STOCK_MAX = 999_999_999

/** `7.0` is 7. Words and fractions tell no number; below zero means that there is nothing. */
function stockOf(cell: string, decimal: DecimalSign): number | null {
  const stock = countOf(cell, decimal)
  if (stock === undefined || stock > STOCK_MAX) return null
  return Math.max(0, stock)
}
