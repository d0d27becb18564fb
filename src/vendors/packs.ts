/** Packs whose size a supplier does not state for certain: what is asked about them, and what people said. */
import type { Fen } from '../kernel/fen.ts'
import { PACK_SIZE_MAX, PACK_TEXT_MAX } from '../kernel/pack.ts'

/** A price of a pack whose number of items is not certain. It cannot be ordered until somebody says it. */
export interface AskedPack {
  readonly vendorSku: string
  readonly title: string
  /** What the supplier wrote; empty where it wrote nothing, or nothing that can be named. */
  readonly text: string
  readonly packPriceFen: Fen
  readonly eachPriceFen?: Fen
  /** Why it is asked. */
  readonly reason: 'unknown_size' | 'prices_disagree' | 'price_jump'
  /** The only size that fits both prices: proposed, never used by itself. */
  readonly suggested?: number
  /** What was said and is used; absent: it waits. */
  readonly contains?: number
}

export interface StatedPack {
  readonly text: string
  /** The article it was said about; absent: all articles with this text. */
  readonly vendorSku?: string
  readonly contains: number
  /** Epoch milliseconds. */
  readonly statedAt?: number
}

/** By text, then by article. */
export const comparePacks = (
  a: Pick<StatedPack, 'text' | 'vendorSku'>,
  b: Pick<StatedPack, 'text' | 'vendorSku'>,
): number => compareTexts(a.text, b.text) || compareTexts(a.vendorSku ?? '', b.vendorSku ?? '')

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface PackWord {
  readonly contains: number
  /** It was said about this article, not only about the text. */
  readonly isForArticle: boolean
  readonly statedAt: number
}

export type FindWord = (text: string, vendorSku: string) => PackWord | undefined

/** What was said about one article comes before what was said about a text. */
export function wordFinder(stated: readonly StatedPack[]): FindWord {
  const byText = new Map<string, PackWord>()
  const byArticle = new Map<string, Map<string, PackWord>>()
  for (const { text, vendorSku, contains, statedAt = 0 } of stated) {
    const word = { contains, statedAt, isForArticle: vendorSku !== undefined }
    if (vendorSku === undefined) byText.set(text, word)
    else byArticle.getOrInsertComputed(vendorSku, () => new Map<string, PackWord>()).set(text, word)
  }
  return (text, vendorSku) => byArticle.get(vendorSku)?.get(text) ?? (text === '' ? undefined : byText.get(text))
}

/** One blank for several, so that a text that was read and one that was typed are the same. */
export function packText(...cells: readonly string[]): string {
  const text = cells
    .map((cell) => cell.replaceAll(/\s+/g, ' ').trim())
    .filter((cell) => cell !== '')
    .join(' | ')
  return text.length <= PACK_TEXT_MAX ? text : ''
}

/**
 * The one whole number of items that the price of a pack and the price of one agree on. The latter is rounded to `step`;
 * undefined: none, or more than one.
 */
export function sizeByPrices(packPrice: number, eachPrice: number, step = 1): number | undefined {
  if (eachPrice <= step) return undefined
  const least = Math.floor(packPrice / (eachPrice + step)) + 1
  const most = Math.ceil(packPrice / (eachPrice - step)) - 1
  return least === most && least >= 2 && least <= PACK_SIZE_MAX ? least : undefined
}
