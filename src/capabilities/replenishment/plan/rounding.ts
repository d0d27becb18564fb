/**
 * What a run from this plan would order more than its slots need, because the supplier sells the product only in larger
 * quantities, such as whole boxes. From the catalogs as they were last read, such as by the last sync: a plan asks no supplier.
 */
import type { PlanEntry as WireEntry } from '../../../contract/replenishment.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import type { Context } from '../../context.ts'
import { lastCatalogOf, sourcesOf } from '../../skus/index.ts'
import type { Plan } from '../planner/plan.ts'
import { neededItems, orderQuantities, unitsOf } from '../runs/order-quantities.ts'
import { MESSAGES_MAX } from '../runs/run.ts'
import { roundedUp } from '../runs/texts.ts'
import type { PlanInput } from './load-input.ts'

export interface PlanRounding {
  /** By machine product; only products that are ordered by the box, or rounded. */
  readonly byProduct: ReadonlyMap<SkuId, NonNullable<WireEntry['rounding']>>
  readonly messages: readonly NoteMessage[]
}

const NONE: PlanRounding = { byProduct: new Map(), messages: [] }

export async function planRounding(
  ctx: Pick<Context, 'store' | 'vendors'>,
  plan: Plan,
  { slots }: Pick<PlanInput, 'slots'>,
): Promise<PlanRounding> {
  const ordered = plan.plans.flatMap(({ slotId, recommendation: { action, quantity = 0 } }) => {
    const slot = slots.get(slotId)
    return action === 'order' && slot ? [{ product: slot.skuId, title: slot.title, quantity }] : []
  })
  if (ordered.length === 0) return NONE
  const products = ordered.map(({ product }) => product)
  const sources = await sourcesOf(ctx, products, lastCatalogOf)
  const units = unitsOf(sources.values())
  const lines = ordered.flatMap((line) => {
    const source = sources.get(line.product)?.skuId
    return source === undefined ? [] : [{ ...line, source }]
  })
  const quantities = orderQuantities(neededItems(lines), units)
  const bySource = new Map(quantities.map((each) => [each.source, each]))
  const byProduct = new Map<SkuId, NonNullable<WireEntry['rounding']>>()
  const titles = new Map<SkuId, string>()
  for (const { product, title, source } of lines) {
    const found = bySource.get(source)
    if (!found || (found.unit === 'EA' && found.ordered === found.needed)) continue
    const { unit, quantity, needed, ordered: items } = found
    titles.set(source, titles.get(source) ?? title)
    byProduct.set(product, {
      sku_id: source,
      unit,
      contains: units.get(source)?.contains ?? 1,
      quantity,
      needed,
      ordered: items,
    })
  }
  const messages = quantities
    .filter(({ needed, ordered: items }) => items > needed)
    .map((each) => roundedUp(each, titles.get(each.source) ?? each.source))
  return { byProduct, messages: messages.slice(0, MESSAGES_MAX) }
}
