/**
 * The owner's list of what is never bought. An entry forbids a product by an id (sku_id, the vendor's own SKU, barcode),
 * also through a confirmed alias, or by a text that title, brand or category contain, in any spelling. Pure.
 */
import { type SkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { type FoldedText, readings, visibleSigns } from '../../lib/words.ts'

export interface ProductIds {
  readonly skuId: string
  readonly barcode?: string | undefined
}

export interface ProductDescription extends ProductIds {
  readonly title: string
  readonly brand?: string | undefined
  readonly category?: string | undefined
  /** The same product elsewhere, by confirmed aliases: a name that is only alike forbids nothing. */
  readonly aliases?: readonly ProductIds[] | undefined
}

/** An entry of the list, prepared for comparing. */
export interface NoGo {
  readonly text: string
  readonly id: string
  readonly barcode: string | undefined
  readonly readings: readonly [FoldedText, FoldedText]
  /** Of an entry without a letter, an emoji for example. */
  readonly signs: string
}

export interface NoGos {
  readonly entries: readonly NoGo[]
  /** The entries that a text of a product contains. */
  readonly findIn: (text: string) => readonly NoGo[]
}

/** Texts whose result is remembered: folding one costs 15 µs, a tenth of the CPU of creating a session. */
const TEXTS_MAX = 10_000
const NONE: readonly NoGo[] = []

export function compileNoGos(hardNoGos: readonly string[]): NoGos {
  const entries = hardNoGos.map((text) => ({
    text,
    id: text.trim(),
    barcode: normalizeBarcode(text),
    readings: readings(text),
    signs: visibleSigns(text),
  }))
  const known = new BoundedMap<string, readonly NoGo[]>(TEXTS_MAX)
  return {
    entries,
    findIn(raw) {
      const remembered = known.get(raw)
      if (remembered) return remembered
      const text = { raw, readings: readings(raw) }
      const found = entries.filter((entry) => isFoundIn(entry, text))
      known.set(raw, found.length === 0 ? NONE : found)
      return found
    },
  }
}

/** The entry that forbids a product. */
export function noGoMatch({ noGos }: { readonly noGos: NoGos }, product: ProductDescription): string | undefined {
  if (noGos.entries.length === 0) return undefined
  const inTexts = findInTexts(noGos, product)
  return noGos.entries.find((entry) => hasIdOf(entry, product) || inTexts.includes(entry))?.text
}

/** Entries that forbid none of the products: a misspelt entry forbids nothing. */
export async function findUnmatchedNoGos(
  noGos: NoGos,
  products: AsyncIterable<ProductDescription>,
): Promise<readonly string[]> {
  let unmatched = noGos.entries
  for await (const product of products) {
    if (unmatched.length === 0) break
    const inTexts = findInTexts(noGos, product)
    unmatched = unmatched.filter((entry) => !hasIdOf(entry, product) && !inTexts.includes(entry))
  }
  return unmatched.map(({ text }) => text)
}

interface ProductText {
  readonly raw: string
  readonly readings: readonly [FoldedText, FoldedText]
}

const findInTexts = ({ findIn }: NoGos, { title, brand, category }: ProductDescription): readonly NoGo[] =>
  [title, brand, category].flatMap((text) => (text ? findIn(text) : NONE))

const hasIdOf = (entry: NoGo, product: ProductDescription): boolean =>
  [product, ...(product.aliases ?? [])].some((ids) => hasId(entry, ids))

const hasId = ({ id, barcode }: NoGo, product: ProductIds): boolean =>
  id !== '' &&
  (id === product.skuId ||
    id === vendorSkuOf(product.skuId as SkuId) ||
    (barcode !== undefined && barcode === normalizeBarcode(product.barcode)))

/** EAN-8, UPC-A, EAN-13 and GTIN-14 of one product differ by leading zeros only. */
function normalizeBarcode(text: string | undefined): string | undefined {
  const digits = text?.normalize('NFKC').trim()
  return digits !== undefined && /^\d{8,14}$/.test(digits) ? digits.replace(/^0+/, '') : undefined
}

function isFoundIn({ readings: [byCase, byShape], signs }: NoGo, { raw, readings }: ProductText): boolean {
  // An entry without any visible sign would match every text: one typing mistake would forbid everything.
  if (byCase.letters === '') return signs !== '' && visibleSigns(raw).includes(signs)
  return hasEntry(readings[0], byCase) || hasEntry(readings[1], byShape)
}

function hasEntry(text: FoldedText, entry: FoldedText): boolean {
  for (let at = text.letters.indexOf(entry.letters); at >= 0; at = text.letters.indexOf(entry.letters, at + 1))
    if (isWordMatch(text, at, entry)) return true
  return false
}

/** Longer words, and words of scripts without blanks, hardly ever arise by chance where two other words meet. */
const SHORT_WORD = /^[a-z0-9]{1,4}$/

/**
 * `gin` is meant by `g.i.n` and `GI N`, not by `Oolong in a can`: a short word that is broken up in the text must begin
 * and end where words of the text do.
 */
function isWordMatch(text: FoldedText, at: number, { letters, separated }: FoldedText): boolean {
  if (!SHORT_WORD.test(letters)) return true
  const end = at + letters.length
  const isWhole = separated.slice(1, -1).every((entryHas, i) => entryHas || !text.separated[at + 1 + i])
  return isWhole || (text.wordStart[at] === true && text.wordStart[end] === true)
}
