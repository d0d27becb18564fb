/** Says how many products wait in the basket, and leads there. */
import { basket } from './basket.ts'
import { may } from '../../lib/service/me.ts'
import { textsOf } from '../../lib/text/i18n.ts'
import { BASKET } from '../../locales/basket.ts'

export function BasketBar() {
  const t = textsOf(BASKET)
  if (basket.value.length === 0 || !may('createCheckout')) return null
  return (
    <div class="row sticky-foot">
      <strong role="status">{t.open(basket.value.length)}</strong>
      <div class="row">
        <a class="button primary" href="/basket">
          <span>{t.openText}</span>
        </a>
      </div>
    </div>
  )
}
