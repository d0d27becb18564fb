import type { PriceChange } from '../../contract/pricing.ts'
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import { error } from '../../kernel/message.ts'
import { linePath } from './change.ts'
import type { ChangeResult } from './change-prices.ts'

type PriceChangeBody = Omit<PriceChange, 'ucp'>

export function askedView(location: string, { decision }: Extract<ChangeResult, { kind: 'asked' }>): PriceChangeBody {
  const content = `a price moves by more than the cap; nothing was changed, ${decision} waits for the owner`
  return {
    location,
    updated: [],
    messages: [error('approval_required', content, `$.actions['${APPROVAL_ACTION}'][0]`)],
    actions: { [APPROVAL_ACTION]: [{ id: decision }] },
  }
}

/** A price that stood already as asked is listed, too, with `previous` equal to it: asking twice gives the same picture. */
export function appliedView(
  location: string,
  { lines, applied }: Extract<ChangeResult, { kind: 'applied' }>,
): PriceChangeBody {
  const messages = applied.unchanged.map(({ line, why }) => error(why.code, why.content, linePath(lines.indexOf(line))))
  return {
    location,
    updated: applied.inEffect.map(({ skuId, title, previousFen, priceFen }) => ({
      item: { id: skuId, title },
      previous: { amount: previousFen, currency: 'CNY' },
      price: { amount: priceFen, currency: 'CNY' },
    })),
    ...(messages.length > 0 ? { messages } : {}),
  }
}
