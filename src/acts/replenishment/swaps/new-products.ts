/**
 * What a product that no machine holds would cost in one. Nobody states it, so it follows from what the route asks for
 * products of its category: the usual margin, and a price that one of them has. A person confirms it. Pure.
 */
import { compareText } from '../../../kernel/text.ts'
import type { NewProduct, SwapMachine } from './choose.ts'

/** With fewer products nothing is usual. */
const PRODUCTS_MIN = 3
/** A price further from the usual margin than this factor is no price of the category. */
const FAR = 1.25
/** Of a category the products whose price fits best: a supplier may list thousands. */
const PER_CATEGORY_MAX = 10

export interface Unpriced extends Omit<NewProduct, 'priceFen'> {
  readonly costFen: number
}

type Priced = Pick<SwapMachine['slots'][number], 'sku' | 'category' | 'priceFen'>

/** Without one that nothing is known to compare with, that costs more than its category, or whose margin the rules forbid. */
export function priceNewProducts(
  products: readonly Unpriced[],
  sold: readonly Priced[],
  costOf: (sku: string) => number | undefined,
  minimumMarginPercent = 0,
): readonly NewProduct[] {
  const usual = usualMargins(sold, costOf)
  const priced = products.flatMap((product) => {
    const category = usual.get(product.category)
    if (!category) return []
    const wanted = product.costFen * category.ratio
    const priceFen = category.prices.reduce((best, price) => (far(price, wanted) < far(best, wanted) ? price : best))
    const isAllowed = priceFen > product.costFen && priceFen * 100 >= product.costFen * (100 + minimumMarginPercent)
    const distance = far(priceFen, wanted)
    return isAllowed && distance <= Math.log(FAR) ? [{ ...product, priceFen, distance }] : []
  })
  return [...Map.groupBy(priced, ({ category }) => category).values()].flatMap((own) =>
    own
      .toSorted((a, b) => a.distance - b.distance || compareText(a.sku, b.sku))
      .slice(0, PER_CATEGORY_MAX)
      .map(({ distance: _distance, ...product }) => product),
  )
}

const far = (a: number, b: number): number => Math.abs(Math.log(a / b))

interface Usual {
  /** Price over cost of the product in the middle. */
  readonly ratio: number
  readonly prices: readonly number[]
}

/** By category, where enough products with a known cost are sold. */
function usualMargins(
  sold: readonly Priced[],
  costOf: (sku: string) => number | undefined,
): ReadonlyMap<string, Usual> {
  const usual = new Map<string, Usual>()
  for (const [category, own] of Map.groupBy(sold, (slot) => slot.category)) {
    const known = own.flatMap(({ sku, priceFen }) => {
      const costFen = costOf(sku)
      return costFen !== undefined && costFen > 0 && priceFen > costFen
        ? [{ sku, priceFen, ratio: priceFen / costFen }]
        : []
    })
    if (category === undefined || new Set(known.map(({ sku }) => sku)).size < PRODUCTS_MIN) continue
    const ratios = known.map(({ ratio }) => ratio).toSorted((a, b) => a - b)
    const prices = [...new Set(known.map(({ priceFen }) => priceFen))].toSorted((a, b) => a - b)
    usual.set(category, { ratio: ratios[Math.floor(ratios.length / 2)]!, prices })
  }
  return usual
}
