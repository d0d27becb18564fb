/**
 * Articles whose price of one item moved too far since the last list: a pack that was read for one item, another unit, a digit that is
 * lost. They wait until somebody says of the article how many items are in its pack, at this price. Pure.
 */
import { type AskedPack, type FindWord, packText } from '../../packs.ts'
import type { ListedProduct } from './listed-products.ts'

/** An article that waits: what one item cost in the last list that was believed, and since when it is asked. */
export interface HeldPrice {
  readonly each: number
  readonly since: number
}

/** By article. */
export type HeldPrices = Readonly<Record<string, HeldPrice>>

export interface PriceJump {
  readonly product: ListedProduct
  readonly asked: AskedPack
  readonly held: HeldPrice
}

interface Earlier {
  readonly before: readonly ListedProduct[]
  readonly held: HeldPrices
  readonly asked: readonly AskedPack[]
  readonly wordFor: FindWord
  readonly now: number
}

const TIMES = 3

/** In minor units, with fractions. */
export const unitPriceOf = ({ units, packSize, packPriceFen, eachPriceFen }: ListedProduct): number =>
  units === 'pack' ? packPriceFen / packSize : eachPriceFen

const isJump = (now: number, before: number): boolean => now > before * TIMES || now * TIMES < before

export function findPriceJumps(
  products: readonly ListedProduct[],
  { before, held, asked, wordFor, now }: Earlier,
): { readonly jumps: readonly PriceJump[]; readonly compared: number } {
  const earlier = new Map(before.map((product) => [product.vendorSku, { each: unitPriceOf(product), since: now }]))
  for (const [vendorSku, price] of Object.entries(held)) earlier.set(vendorSku, price)
  const questions = new Map(asked.map((pack) => [pack.vendorSku, pack]))
  let compared = 0
  const jumps = products.flatMap((product): readonly PriceJump[] => {
    const last = earlier.get(product.vendorSku)
    if (!last) return []
    compared += 1
    if (!isJump(unitPriceOf(product), last.each)) return []
    const question = questions.get(product.vendorSku) ?? questionOf(product)
    const word = wordFor(question.text, product.vendorSku)
    const isConfirmed = word?.isForArticle && word.statedAt >= last.since && word.contains === product.packSize
    if (isConfirmed && Object.hasOwn(held, product.vendorSku)) return []
    const { contains: _answered, ...open } = question
    return [{ product, asked: { ...open, reason: 'price_jump' }, held: last }]
  })
  return { jumps, compared }
}

function questionOf({ vendorSku, title, spec = '', units, packPriceFen, eachPriceFen }: ListedProduct): AskedPack {
  const isPack = units === 'pack'
  return {
    vendorSku,
    title,
    text: packText(spec),
    reason: 'price_jump',
    packPriceFen,
    ...(!isPack && { eachPriceFen }),
  }
}
