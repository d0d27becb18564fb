/**
 * The cells of the table of the plan. They are called as functions, not mounted as components, which keeps scrolling
 * of a long table smooth.
 */
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { stockState } from '../../../kernel/stock-state.ts'
import { decimal, rate, shortTime } from '../../lib/text/format.ts'
import { STOCK_TONE } from '../machines/health.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { countedText } from '../machines/machine-products.ts'
import { ACTION_TONE } from './plan.ts'
import { Badge, Bar } from '../../ui/value.tsx'

/** An empty slot ran out already; where the history shows when, that is what counts. */
export function stockoutOf({ stock, stockout_at: at, empty_since: since }: PlanEntry) {
  if (since !== undefined) return <span class="faint one-line">{words().since(shortTime(since))}</span>
  if (stock === 0 || at === null) return null
  return <span class="faint one-line">{shortTime(at)}</span>
}

/** Where our own count or refill is what is shown: when that was. */
export const bookedOf = (entry: PlanEntry) => {
  const booked = countedText({ ...entry, reported_stock: undefined })
  return booked === undefined ? null : <span class="faint one-line">{booked}</span>
}

/** The stock and, where the machine says otherwise, its own figure below. */
export const stockOf = (entry: PlanEntry) => (
  <span class="stock-mini" title={entry.reported_stock === undefined ? undefined : countedText(entry)}>
    <span>
      {entry.stock}
      {entry.capacity ? <span class="faint"> / {entry.capacity}</span> : null}
    </span>
    {entry.reported_stock === undefined ? (
      entry.capacity ? (
        Bar({
          share: entry.stock / entry.capacity,
          tone: STOCK_TONE[stockState(entry.stock, entry.days_of_cover)],
        })
      ) : null
    ) : (
      <span class="toned warn one-line">{texts().plan.machineSays(entry.reported_stock)}</span>
    )}
  </span>
)

export function coverOf({ stock, days_of_cover: cover }: PlanEntry, long = false) {
  const t = texts().plan
  if (stock === 0) return <span class="toned bad">{t.emptyNow}</span>
  if (cover === null) return <span class="faint">{long ? words().noStockout : '∞'}</span>
  const text = long ? words().daysLeft(decimal(cover)) : t.days(rate(cover))
  return <span class={stockState(stock, cover) === 'low' ? 'toned warn' : ''}>{text}</span>
}

export const actionOf = ({ recommendation: { action, quantity }, rounding, from_storeroom: stored }: PlanEntry) => (
  <>
    {Badge({ tone: ACTION_TONE[action], children: `${texts().planAction[action]}${quantity ? ` ${quantity}` : ''}` })}
    {stored ? (
      <span class="faint one-line">{texts().plan.stored(stored)}</span>
    ) : rounding?.unit === 'BX' ? (
      <span class="faint one-line">{texts().plan.boxOf(rounding.contains)}</span>
    ) : null}
  </>
)
