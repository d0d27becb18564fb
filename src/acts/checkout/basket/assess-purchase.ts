/** Checks a purchase once more, immediately before it is bought. */
import { type Outcome, accept } from '../../../kernel/outcome.ts'
import type { SupplyVendor } from '../../../vendors/supply-vendor.ts'
import { toRefusal } from '../../../vendors/refusal.ts'
import { type Rules, requireWritesAllowed } from '../../../rules/guardrails/index.ts'
import { type BasketAssessment, assessBasket, loadInput, prepareBasket, loadRuleInput } from './assess-basket.ts'
import { quoteRequest } from './basket.ts'
import type { CheckoutContext } from '../context.ts'
import type { ProductsBySku } from './lines.ts'
import { readQuote } from './quote.ts'
import type { Session } from '../session.ts'

export interface AssessedPurchase {
  readonly assessment: BasketAssessment
  readonly products: ProductsBySku
  readonly rules: Rules
}

/** Checks the session once more, at the supplier's current prices and with the current rules. Writes nothing. */
export async function assessPurchase(
  ctx: CheckoutContext,
  session: Session,
  supply: SupplyVendor,
): Promise<Outcome<AssessedPurchase>> {
  const catalog = await supply.catalog({ live: true })
  if (!catalog.ok) return toRefusal(catalog)
  const input = await loadInput(ctx, catalog.value, session.lines)
  const basket = prepareBasket(session, input)
  const request = () => quoteRequest(basket, input.products, ctx.config.currency)
  const quoted = await readQuote(ctx, session.vendor, supply, request, basket.problems)
  // Nothing is bought at a total that the supplier does not confirm now.
  if (quoted.kind === 'failed') return toRefusal(quoted.failure)
  // Checked again: the supplier's answers may have taken seconds.
  const allowed = await requireWritesAllowed(ctx)
  if (!allowed.ok) return allowed
  const { rules } = allowed.value
  const assessment = assessBasket(session, basket, quoted, await loadRuleInput(ctx, input, rules, session))
  return accept({ assessment, products: input.products, rules })
}
