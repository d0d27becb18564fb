/** One slot of the plan: the explanation, the projection and the numbers. */
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import { explain } from './explain.ts'
import { decimal, rate } from '../../lib/text/format.ts'
import { texts, words } from '../../lib/text/i18n.ts'
import { ACTION_TONE, horizonDays, paceOf } from './plan.ts'
import { href } from '../../lib/router.ts'
import { countedText } from '../machines/machine-products.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Badge, Money, Timestamp } from '../../ui/value.tsx'
import { Facts } from '../../ui/section.tsx'
import { Projection } from './projection.tsx'
import { SkuLink } from '../catalog/sku-link.tsx'

interface Props {
  readonly entry: PlanEntry
  readonly plan: ReplenishmentPlan
  readonly machine: string
  readonly onClose: () => void
}

function describeRounding({ unit, quantity, contains, ordered, needed }: NonNullable<PlanEntry['rounding']>): string {
  const t = texts().plan
  return unit === 'BX' ? t.soldInBoxes(quantity, contains, ordered, needed) : t.soldInSteps(ordered, needed)
}

export function PlanDetail({ entry, plan, machine, onClose }: Props) {
  const t = texts().plan
  const { demand, recommendation } = entry
  const counted = countedText(entry)
  const visit = plan.visits?.find(({ location }) => location === entry.location)
  return (
    <Dialog title={entry.item.title} drawer onClose={onClose}>
      <p>
        <Badge tone={ACTION_TONE[recommendation.action]}>
          {texts().planAction[recommendation.action]} {recommendation.quantity ?? ''}
        </Badge>
      </p>
      <p class="reasoning">{explain(entry, plan.lead_time.days, visit)}</p>
      <Projection
        stock={entry.stock}
        capacity={entry.capacity}
        dailyRate={paceOf(entry)}
        leadDays={plan.lead_time.days}
        days={horizonDays(plan)}
      />
      <p class="note">{t.projectionNote}</p>
      <Facts
        items={[
          [words().machine, <a href={href.machine(entry.location)}>{machine}</a>],
          [
            texts().pages.sku,
            <SkuLink id={entry.item.id} location={entry.location}>
              {entry.item.id}
            </SkuLink>,
          ],
          entry.price ? [t.price, <Money {...entry.price} />] : undefined,
          [
            words().stock,
            <>
              {entry.capacity ? `${entry.stock} / ${entry.capacity}` : `${entry.stock} (${t.capacityUnknown})`}
              {counted === undefined ? null : <span class="faint"> · {counted}</span>}
            </>,
          ],
          typeof entry.par === 'number' ? [texts().operator.slots.members.par, entry.par] : undefined,
          [
            words().soldPerDay,
            demand.measured ? rate(demand.daily_rate) : `${rate(demand.daily_rate)} (${t.estimated})`,
          ],
          [words().simpleAverage, rate(demand.naive_daily_rate)],
          [t.observed, t.observedText(demand.available_days, demand.empty_days, demand.closed_days)],
          entry.empty_since ? [words().emptySince, <Timestamp at={entry.empty_since} />] : undefined,
          entry.stockout_at && entry.stock > 0 ? [t.stockout, <Timestamp at={entry.stockout_at} />] : undefined,
          entry.target === undefined
            ? undefined
            : [t.target, t.targetText(decimal(entry.target), entry.target > (entry.capacity ?? Infinity))],
          entry.from_storeroom ? [t.storeroom, t.fromStoreroom(entry.from_storeroom)] : undefined,
          entry.rounding ? [t.soldIn, describeRounding(entry.rounding)] : undefined,
          entry.pending_run ? [t.pendingRun, <a href={href.run(entry.pending_run)}>{entry.pending_run}</a>] : undefined,
        ]}
      />
    </Dialog>
  )
}
