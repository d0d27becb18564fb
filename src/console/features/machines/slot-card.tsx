import type { Variant } from '../../../contract/shapes/catalog.ts'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { type StockState, stockState } from '../../../kernel/stock-state.ts'
import { decimal, money, shortTime } from '../../lib/text/format.ts'
import { STOCK_TONE } from './health.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { may, seesMoney } from '../../lib/service/me.ts'
import { countedText } from './machine-products.ts'
import { slotPlace } from './slot-place.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Badge, Bar, Money } from '../../ui/value.tsx'
import { Picture } from '../../ui/picture.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'

export interface Slot {
  readonly variant: Variant
  readonly plan: PlanEntry | undefined
}

interface Props {
  readonly slot: Slot
  readonly location: string
  readonly onPrice: () => void
  readonly onLock: () => void
  readonly onCount: () => void
  readonly busy: boolean
}

export const slotState = ({ variant, plan }: Slot): StockState =>
  stockState(variant.inventory?.stock ?? null, plan?.days_of_cover)

const shareOf = (stock: number, full: number): number => (full > 0 ? stock / full : stock > 0 ? 1 : 0)

/** One slot of a machine: stock, days left, price and lock. */
export function SlotCard({ slot, location, onPrice, onLock, onCount, busy }: Props) {
  const t = texts().machine
  const { variant, plan } = slot
  const inventory = variant.inventory
  const stock = inventory?.stock ?? null
  const capacity = inventory?.capacity ?? undefined
  // Without a known capacity the bar is full at the target stock of the plan.
  const full = capacity ?? Math.max(stock ?? 0, plan?.target ?? 0)
  const locked = inventory?.locked ?? false
  const tone = STOCK_TONE[slotState(slot)]
  const stockText = stock === null ? '?' : capacity ? t.stockOf(stock, capacity) : t.stockOnly(stock)
  const unlinked = (variant.aliases ?? []).every(({ source }) => source === 'suggested')
  const action = plan?.recommendation.action
  return (
    <li class={`stack slot${locked ? ' locked' : ''}`}>
      <div class="slot-title">
        <Picture sku={variant.id} />
        <SkuLink id={variant.id} location={location}>
          {variant.title}
        </SkuLink>
        {inventory?.position ? <span class="faint">{slotPlace(inventory.slot_id, inventory)}</span> : null}
        {locked ? (
          <span class="slot-lock" title={t.locked}>
            <Icon name="lock" size={15} />
            <span class="hidden">{t.locked}</span>
          </span>
        ) : null}
      </div>
      <div class="slot-stock">
        <Bar share={shareOf(stock ?? 0, full)} tone={tone} />
        <button
          type="button"
          class="price"
          onClick={onCount}
          disabled={!may('updateSlot')}
          aria-label={t.countOf(stockText, variant.title)}
        >
          <span class="number">{stockText}</span>
        </button>
      </div>
      <div class="slot-facts">
        <span>
          {stock === null ? (
            <Badge tone="warn">{t.stockUnknown}</Badge>
          ) : stock === 0 ? (
            <>
              <Badge tone="bad">{words().empty}</Badge>
              {plan?.empty_since ? <span class="faint">{words().since(shortTime(plan.empty_since))}</span> : null}
            </>
          ) : plan?.days_of_cover === null || plan === undefined ? (
            <span class="faint">{words().noStockout}</span>
          ) : (
            <span class={tone === 'ok' ? 'faint' : `toned ${tone}`}>
              {words().daysLeft(decimal(plan.days_of_cover))}
            </span>
          )}
          {inventory === undefined || countedText(inventory) === undefined ? null : (
            <span class={inventory.reported_stock === undefined ? 'faint' : 'toned warn'}>
              {countedText(inventory)}
            </span>
          )}
          {typeof inventory?.par === 'number' ? (
            <span class="faint">
              {texts().operator.slots.members.par} {inventory.par}
            </span>
          ) : null}
          {action === 'order' ? <Badge tone="info">+{plan?.recommendation.quantity}</Badge> : null}
          {action === 'in_transit' ? <Badge tone="calm">{texts().planAction.in_transit}</Badge> : null}
          {unlinked ? <Badge tone="warn">{t.unlinked}</Badge> : null}
        </span>
      </div>
      {inventory?.lanes ? (
        <p class="faint">
          {t.lanes(
            inventory.lanes
              .map(({ code, stock: inLane }) => t.lane(code, inLane === null ? '?' : `${inLane}`))
              .join(', '),
          )}
        </p>
      ) : null}
      <div class="slot-foot">
        {seesMoney() ? (
          <button
            type="button"
            class="price"
            onClick={onPrice}
            disabled={!may('changePrices')}
            aria-label={t.priceOf(money(variant.price.amount, variant.price.currency), variant.title)}
          >
            <Money {...variant.price} /> {may('changePrices') ? <Icon name="edit" size={13} /> : null}
          </button>
        ) : null}
        {/* The padlock marks locked slots only; on every slot it would say nothing. */}
        <Button
          needs="putLocation"
          kind="quiet"
          small
          {...(locked ? { icon: 'unlock' as const } : {})}
          disabled={busy}
          onClick={onLock}
          aria-label={locked ? t.unlockOf(variant.title) : t.lockOf(variant.title)}
        >
          {locked ? t.unlock : t.lock}
        </Button>
      </div>
    </li>
  )
}
