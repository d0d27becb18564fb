import type { PriceChange, PriceUpdate } from '../../contract/pricing.ts'
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import { error } from '../../kernel/message.ts'
import { approvalNeedOf, approvalRequiredError, dryRunView } from '../guardrails/index.ts'
import { type PriceLine, linePath } from './change.ts'
import type { ChangeResult, PreviewedChange } from './change-prices.ts'
import { TEXTS } from './texts.ts'

type PriceChangeBody = Omit<PriceChange, 'ucp'>

export function askedView(
  location: string,
  { decision, need }: Extract<ChangeResult, { kind: 'asked' }>,
): PriceChangeBody {
  return {
    location,
    updated: [],
    messages: [approvalRequiredError(TEXTS.approvalRequired, need, `$.actions['${APPROVAL_ACTION}'][0]`)],
    actions: { [APPROVAL_ACTION]: [{ id: decision }] },
  }
}

/** Also lists prices that were set already, with `previous` equal to `price`: sending a request twice gives the same list. */
export function appliedView(
  location: string,
  { lines, applied }: Extract<ChangeResult, { kind: 'applied' }>,
  currency: CurrencyCode,
): PriceChangeBody {
  const messages = applied.unchanged.map(({ line, why }) => error(why.code, why.content, linePath(lines.indexOf(line))))
  return {
    location,
    updated: applied.inEffect.map((line) => updatedView(line, currency)),
    ...(messages.length > 0 ? { messages } : {}),
  }
}

const updatedView = ({ skuId, title, previousFen, priceFen }: PriceLine, currency: CurrencyCode): PriceUpdate => ({
  item: { id: skuId, title },
  previous: money(previousFen, currency),
  price: money(priceFen, currency),
})

/** Of a dry run: what would be changed now. */
export const previewView = (
  location: string,
  { lines, isAllowed, evidence }: PreviewedChange,
  currency: CurrencyCode,
): PriceChangeBody => ({
  location,
  updated: isAllowed ? lines.map((line) => updatedView(line, currency)) : [],
  ...(isAllowed
    ? {}
    : { messages: [approvalRequiredError(TEXTS.approvalRequired, approvalNeedOf(evidence), '$.prices')] }),
  ...dryRunView(evidence),
})
