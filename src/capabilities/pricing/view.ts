import type { PriceChange } from '../../contract/pricing.ts'
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import { money } from '../../kernel/currency.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { error } from '../../kernel/message.ts'
import { linePath } from './change.ts'
import type { ChangeResult } from './change-prices.ts'
import { TEXTS } from './texts.ts'

type PriceChangeBody = Omit<PriceChange, 'ucp'>

export function askedView(location: string, { decision }: Extract<ChangeResult, { kind: 'asked' }>): PriceChangeBody {
  return {
    location,
    updated: [],
    messages: [error('approval_required', TEXTS.approvalRequired, `$.actions['${APPROVAL_ACTION}'][0]`)],
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
    updated: applied.inEffect.map(({ skuId, title, previousFen, priceFen }) => ({
      item: { id: skuId, title },
      previous: money(previousFen, currency),
      price: money(priceFen, currency),
    })),
    ...(messages.length > 0 ? { messages } : {}),
  }
}
