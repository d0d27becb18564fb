/**
 * Bytes of a price list to what a connection offers of it: the part that takes time. Pure and synchronous, so that a large
 * file is examined in a thread of its own (examine-list-thread.ts) and a small one here and now.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { digitsOf, formatAmount, isCurrency } from '../../../kernel/currency.ts'
import { count } from '../../../kernel/text.ts'
import type { UnreadableRow } from '../../contract.ts'
import { type AskedPack, type StatedPack, comparePacks, wordFinder } from '../../packs.ts'
import { sanitizeText } from '../../upstream/sanitize-text.ts'
import { type Encoding, decodeText, endsMidLine } from '../documents/csv/csv-text.ts'
import { isWorkbook } from '../workbook/workbook.ts'
import { byProduct, losesTooMuch } from './listed-products.ts'
import type { LeftOut, LeftOutReason, ListedProduct, ProductList, UnreadableListRow } from './listed-products.ts'
import { type HeldPrices, type PriceJump, findPriceJumps, unitPriceOf } from './price-jumps.ts'
import { readPriceList } from './price-list.ts'
import type { CatalogSettings } from '../settings.ts'
import { readCatalogue } from './ubl-catalogue.ts'
import { readX12Catalogue } from './x12-catalogue.ts'

export interface ListToExamine {
  readonly bytes: Uint8Array
  readonly settings: CatalogSettings
  readonly currency: string
  /** `2026-11-17`, in the time zone of the connection. */
  readonly today: string
  /** A last line without an end may still be being written. */
  readonly mayBeUnfinished: boolean
  /** The last accepted list. */
  readonly remembered: RememberedList | undefined
  readonly maxLossPercent: number
  /** Epoch milliseconds. */
  readonly now: number
  readonly statedPacks: readonly StatedPack[]
}

/** A list as it is kept in the memory of a connection. */
export interface RememberedList {
  /** Of the bytes of the file, and of what was said about its packs. */
  readonly hash: string
  /** Of the bytes of the file. */
  readonly file?: string
  /** The products: JSON, compressed, in base64. 10,000 of them are 2 MB of JSON and 0.2 MB here. */
  readonly packed: string
  /** Articles whose price moved too far, with the one that was believed. */
  readonly held?: HeldPrices
}

export type ExaminedList =
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** It lacks too many of the remembered products. */
  | { readonly kind: 'shrunk'; readonly products: number; readonly before: number }
  /** Too many of its prices are far from the remembered ones. */
  | { readonly kind: 'jumped'; readonly products: number; readonly compared: number }
  | {
      readonly kind: 'accepted'
      readonly products: readonly ListedProduct[]
      readonly unreadable: readonly UnreadableRow[]
      readonly asked: readonly AskedPack[]
      readonly notices: readonly string[]
      /** Absent: it is the list that is remembered. */
      readonly remember?: RememberedList
    }

export function examineList(list: ListToExamine): ExaminedList {
  const { settings, currency, today, remembered, statedPacks } = list
  const { whole, isCut } = wholeLines(list.bytes, settings)
  if (isCut && list.mayBeUnfinished) return { kind: 'unfinished' }
  const read = readList(whole, settings, { currency, today, statedPacks })
  if (!read.ok) return { kind: 'unreadable', problem: read.problem }
  const hash = createHash('sha256').update(whole)
  const file = hash.copy().digest('hex')
  // With other sizes it offers other products.
  if (statedPacks.length > 0) hash.update(JSON.stringify(statedPacks))
  const digest = hash.digest('hex')
  const isNew = remembered?.hash !== digest
  const before = isNew && remembered ? unpackProducts(remembered.packed) : []
  if (losesTooMuch(before, read, list.maxLossPercent))
    return { kind: 'shrunk', products: read.products.length, before: before.length }
  const { jumps, compared } = findPriceJumps(read.products, {
    // In the same file prices only move by what people said.
    before: remembered?.file === file ? [] : before,
    held: remembered?.held ?? {},
    asked: read.asked,
    wordFor: wordFinder(statedPacks),
    now: list.now,
  })
  if (jumps.length >= JUMPS_FEW && jumps.length * 100 > compared * list.maxLossPercent && isNew)
    return { kind: 'jumped', products: jumps.length, compared }
  const waiting = new Set(jumps.map(({ product }) => product.vendorSku))
  const products = waiting.size === 0 ? read.products : read.products.filter((each) => !waiting.has(each.vendorSku))
  const earlierHeld = remembered?.held ?? {}
  const listed = new Set(read.products.map(({ vendorSku }) => vendorSku))
  const held: HeldPrices = Object.fromEntries([
    // One that this list leaves out may be back in the next.
    ...Object.entries(earlierHeld).filter(([vendorSku]) => !listed.has(vendorSku)),
    ...jumps.map((jump) => [jump.product.vendorSku, jump.held] as const),
  ])
  const remember = isNew || !isDeepStrictEqual(held, earlierHeld)
  return {
    kind: 'accepted',
    products,
    unreadable: [...toUnreadableRows(read.unreadable), ...jumps.map((jump) => toUnreadableJump(jump, currency))],
    asked: [...read.asked.filter((pack) => !waiting.has(pack.vendorSku)), ...jumps.map(({ asked }) => asked)].toSorted(
      comparePacks,
    ),
    notices: [
      ...describeLeftOut(read.leftOut),
      ...(jumps.length > 0
        ? [`${count(jumps.length, 'article')} ${LEFT_OUT_JUMP} left out until somebody says that it is right`]
        : []),
      ...(read.notes ?? []),
      ...(isCut ? ['the last line has no line end and is left out, it may be incomplete'] : []),
    ],
    ...(remember && { remember: { hash: digest, file, packed: packProducts(products), held } }),
  }
}

/** In a list of a few articles one that moved is no sign of a wrong list. */
const JUMPS_FEW = 10
const LEFT_OUT_JUMP = 'whose price of one item is more than three times or less than a third of that of the last list'

function toUnreadableJump({ product, held }: PriceJump, currency: string): UnreadableRow {
  const amount = (fen: number) => formatAmount(Math.round(fen), currency)
  const problem = `needs your word: one item cost ${amount(held.each)} in the last list and ${amount(unitPriceOf(product))} in this one`
  return { kind: 'product', id: sanitizeText(product.vendorSku), problem, detail: 'price_jump' }
}

const packProducts = (products: readonly ListedProduct[]): string =>
  gzipSync(JSON.stringify(products), { level: 1 }).toString('base64')

export const unpackProducts = (packed: string): ListedProduct[] =>
  JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as ListedProduct[]

interface ReadOptions extends Pick<ListToExamine, 'currency' | 'today'> {
  readonly statedPacks?: readonly StatedPack[]
}

/** Bytes of a file to products by the settings of a connection; also for a trial before the file is used. */
export function readList(
  bytes: Uint8Array,
  settings: CatalogSettings,
  { currency, today, statedPacks = [] }: ReadOptions,
): ProductList {
  if (!isCurrency(currency)) return { ok: false, problem: `${currency} is not a currency of ISO 4217` }
  const digits = digitsOf(currency)
  const wordFor = wordFinder(statedPacks)
  if (settings.format === 'ubl-catalogue') return readCatalogue(bytes, { currency, digits, today, wordFor })
  if (settings.format === 'x12-catalogue') return readX12Catalogue(bytes, { currency, digits, today, wordFor })
  const { encoding = 'utf-8', delimiter = ',', decimal = '.', skip_rows: skipRows = 0, columns = {}, sheet } = settings
  return readPriceList(bytes, { encoding, delimiter, decimal, sheet, skipRows, columns, currency, digits, wordFor })
}

/** Without a last line that has no end: its price may be cut off. */
export function wholeLines(
  bytes: Uint8Array,
  { format, encoding = 'utf-8' }: CatalogSettings,
): { readonly whole: Uint8Array; readonly isCut: boolean } {
  const hasLines = format !== 'ubl-catalogue' && format !== 'x12-catalogue' && !isWorkbook(bytes)
  const text = hasLines ? decodeText(bytes, encoding) : undefined
  const isCut = text !== undefined && endsMidLine(text)
  return { whole: isCut ? withoutLastLine(bytes, encoding) : bytes, isCut }
}

/** In all encodings but those with two bytes a character, these two bytes are never part of another one. */
function withoutLastLine(bytes: Uint8Array, encoding: Encoding): Uint8Array {
  const isLineEnd = (byte: number | undefined) => byte === 0x0a || byte === 0x0d
  if (encoding !== 'utf-16le' && encoding !== 'utf-16be')
    return bytes.subarray(0, bytes.findLastIndex((byte) => isLineEnd(byte)) + 1)
  const low = encoding === 'utf-16le' ? 0 : 1
  let at = bytes.length - (bytes.length % 2) - 2
  while (at >= 0 && !(isLineEnd(bytes[at + low]) && bytes[at + 1 - low] === 0)) at -= 2
  return bytes.subarray(0, Math.max(0, at + 2))
}

export const LEFT_OUT: Readonly<Record<LeftOutReason, string>> = {
  no_sku: 'without a code',
  no_title: 'without a title',
  no_price: 'without a price',
  unusable_sku: 'whose code has a blank or a colon',
  conflicting: 'that contradict another row with the same code',
  extra_cells: 'with more cells than the header',
  missing_cells: 'with fewer cells than the header',
  unreadable_price: 'whose price cannot be read',
  price_in_words: 'whose pack price is a word',
  unreadable_quantity: 'whose order quantity cannot be read',
  unreadable_tax: 'whose tax is no rate',
  unknown_pack: 'whose pack states no certain number of items',
  prices_disagree: 'whose price of a pack is not that of its items',
  long_cell: 'with more than 1,000 characters in a cell',
  other_currency: 'in another currency',
  unknown_unit: 'in a unit that is neither an item nor a pack',
  withdrawn: 'that are withdrawn',
  not_for_sale: 'that are not for sale and whose prices are not certain',
}

const describeLeftOut = (leftOut: readonly LeftOut[]): readonly string[] =>
  leftOut.map((entry) => {
    const rows = `row${entry.rows.length === 1 ? '' : 's'} ${entry.rows.join(', ')}${entry.count > entry.rows.length ? ', …' : ''}`
    return `${count(entry.count, 'row')} ${LEFT_OUT[entry.reason]} left out (${rows})`
  })

const PROBLEMS: Readonly<Partial<Record<LeftOutReason, string>>> = {
  conflicting: 'its rows contradict each other',
  price_in_words: 'its pack price is no amount',
  no_price: 'its price is no amount',
  unusable_sku: 'its code has a blank or a colon',
  extra_cells: 'its cells cannot be read',
  missing_cells: 'its cells cannot be read',
  unreadable_quantity: 'its order quantity cannot be read',
  unreadable_tax: 'its tax is no rate in percent',
  long_cell: 'its cells cannot be read',
  other_currency: 'its price is in another currency',
}
const ID_MAX = 100

const toUnreadableRows = (unreadable: readonly UnreadableListRow[]): readonly UnreadableRow[] =>
  byProduct(unreadable).map((entry): UnreadableRow => {
    const { row, reason, vendorSku = '' } = entry
    const id = vendorSku.length <= ID_MAX ? sanitizeText(vendorSku) || undefined : undefined
    return { kind: 'product', id, row, problem: problemOf(entry), detail: `row ${row}: ${reason}` }
  })

const VALUE_MAX = 60

/** What is wrong with a row that is left out, with the cell that it is about. */
export function problemOf({ reason, text, about }: UnreadableListRow): string {
  const problem = packProblem(reason, text) ?? PROBLEMS[reason] ?? 'its price cannot be read'
  if (!about) return problem
  const value = sanitizeText(about.value).slice(0, VALUE_MAX)
  return `${problem}: "${value}" in the column "${sanitizeText(about.column).slice(0, VALUE_MAX)}"`
}

const PACK_TEXT_MAX = 100

/** What somebody has to say before the article can be ordered. */
function packProblem(reason: LeftOutReason, text = ''): string | undefined {
  const pack = text === '' ? 'no pack text' : `"${sanitizeText(text).slice(0, PACK_TEXT_MAX)}"`
  if (reason === 'unknown_pack') return `needs your word: how many items are in its pack (${pack})`
  if (reason === 'prices_disagree')
    return `needs your word: its pack price divided by its price each is not the size of its pack (${pack})`
  return undefined
}
