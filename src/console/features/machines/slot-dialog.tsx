/** One slot of a machine: stock, days left, price, what the plan brings, and what can be done about it. */
import { decimal, shortTime } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { seesMoney } from '../../lib/service/me.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Failure } from '../../ui/loaded.tsx'
import { Facts } from '../../ui/section.tsx'
import { Badge, Money } from '../../ui/value.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'
import { STOCK_TONE } from './health.ts'
import { countedText } from './machine-products.ts'
import { type Slot, placeOf, slotState, stockText } from './slot-tile.tsx'

interface Props {
  readonly slot: Slot
  readonly location: string
  /** What the plan says about it, in one sentence. */
  readonly why: string | undefined
  readonly onClose: () => void
  readonly onPrice: () => void
  readonly onLock: () => void
  readonly onCount: () => void
  readonly busy: boolean
  readonly error: unknown
}

export function SlotDialog({ slot, location, why, onClose, onPrice, onLock, onCount, busy, error }: Props) {
  const t = texts().machine
  const { variant, plan } = slot
  const { inventory, title } = variant
  const locked = inventory?.locked ?? false
  const counted = inventory && countedText(inventory)
  const unlinked = (variant.aliases ?? []).every(({ source }) => source === 'suggested')
  return (
    <Dialog title={title} drawer onClose={onClose} busy={busy}>
      <Facts
        items={[
          [words().slot, placeOf(slot)],
          [
            words().stock,
            <>
              <strong>{stockText(variant)}</strong> <StateBadge slot={slot} />
              {counted === undefined ? null : (
                <p class={inventory?.reported_stock === undefined ? 'faint' : 'toned warn'}>{counted}</p>
              )}
              {inventory?.lanes ? (
                <p class="faint">
                  {t.lanes(
                    inventory.lanes
                      .map(({ code, stock }) => t.lane(code, stock === null ? '?' : `${stock}`))
                      .join(texts().connections.comma),
                  )}
                </p>
              ) : null}
            </>,
          ],
          seesMoney() ? [words().price, <Money {...variant.price} />] : undefined,
          plan ? [words().soldPerDay, decimal(plan.demand.daily_rate)] : undefined,
          typeof inventory?.par === 'number' ? [texts().operator.slots.members.par, inventory.par] : undefined,
          why === undefined ? undefined : [texts().pages.plan, why],
          [
            words().product,
            <>
              <SkuLink id={variant.id} location={location}>
                {title}
              </SkuLink>{' '}
              {unlinked ? <Badge tone="warn">{t.unlinked}</Badge> : null}
            </>,
          ],
        ]}
      />
      {error === undefined ? null : <Failure error={error} compact />}
      <div class="row slot-actions">
        <Button needs="updateSlot" disabled={busy} onClick={onCount} aria-label={t.countOf(stockText(variant), title)}>
          {words().countNow}
        </Button>
        {seesMoney() ? (
          <Button needs="changePrices" disabled={busy} onClick={onPrice} aria-label={t.priceOf(title)}>
            {texts().price.title}
          </Button>
        ) : null}
        <Button
          needs="putLocation"
          icon={locked ? 'unlock' : 'lock'}
          disabled={busy}
          onClick={onLock}
          aria-label={locked ? t.unlockOf(title) : t.lockOf(title)}
        >
          {locked ? t.unlock : t.lock}
        </Button>
      </div>
    </Dialog>
  )
}

function StateBadge({ slot }: { readonly slot: Slot }) {
  const state = slotState(slot)
  const { plan } = slot
  if (state === 'empty')
    return (
      <>
        <Badge tone="bad">{words().empty}</Badge>{' '}
        {plan?.empty_since ? <span class="faint">{words().since(shortTime(plan.empty_since))}</span> : null}
      </>
    )
  if (state === 'unknown') return <Badge tone="warn">{texts().machine.stockUnknown}</Badge>
  if (typeof plan?.days_of_cover !== 'number') return <span class="faint">{words().noStockout}</span>
  return (
    <span class={state === 'ok' ? 'faint' : `toned ${STOCK_TONE[state]}`}>
      {words().daysLeft(decimal(plan.days_of_cover))}
    </span>
  )
}
