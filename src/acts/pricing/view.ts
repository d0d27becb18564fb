import type { PriceChange, PriceUpdate } from '../../contract/shapes/pricing.ts'
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import { type CurrencyCode, money } from '../../kernel/currency.ts'
import { type Message, error, info } from '../../kernel/message.ts'
import { withId } from '../../kernel/text.ts'
import { approvalNeedOf, approvalRequiredError, dryRunView } from '../../rules/guardrails/index.ts'
import { isNoChange } from './change.ts'
import type { PriceLine } from './price-line.ts'
import type { ChangeResult, PreviewedChange } from './change-prices.ts'
import { TEXTS } from './texts.ts'

type PriceChangeBody = Omit<PriceChange, 'ucp'>

/** Where a line that was not changed is missing. */
const UPDATED_PATH = '$.updated'

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
  { applied }: Extract<ChangeResult, { kind: 'applied' }>,
  currency: CurrencyCode,
): PriceChangeBody {
  const messages = applied.unchanged.map(({ line: { skuId, title }, why }) =>
    error(why.code, `${why.content}: ${withId(title, skuId)}`, UPDATED_PATH, { item: skuId, product: title }),
  )
  return {
    location,
    updated: applied.inEffect.map((line) => updatedView(line, currency)),
    ...messagesView([...messages, ...unknownCosts(applied.inEffect)]),
  }
}

const messagesView = (messages: readonly Message[]) => (messages.length > 0 ? { messages } : {})

/** The margin of a product without a known cost is not checked, and the caller is told. Paths are those of `updated`. */
const unknownCosts = (lines: readonly PriceLine[]): readonly Message[] =>
  lines.flatMap((line, index) => {
    const { skuId, title, uncheckedMarginPercent: percent } = line
    if (percent === undefined || isNoChange(line)) return []
    const params = { item: skuId, product: title, percent }
    return [info('cost_unknown', TEXTS.marginNotChecked(withId(title, skuId), percent), `$.updated[${index}]`, params)]
  })

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
  ...messagesView(
    isAllowed
      ? unknownCosts(lines)
      : [approvalRequiredError(TEXTS.approvalRequired, approvalNeedOf(evidence), UPDATED_PATH)],
  ),
  ...dryRunView(evidence),
})
