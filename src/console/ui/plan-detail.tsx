/** One slot of the plan in full: the sentence, the numbers, the picture. */
import type { PlanEntry, ReplenishmentPlan } from '../../contract/replenishment.ts'
import { explain } from '../lib/explain.ts'
import { decimal } from '../lib/format.ts'
import { w } from '../lib/i18n.ts'
import { ACTION_TONE, horizonDays } from '../lib/plan.ts'
import { href } from '../lib/router.ts'
import { Dialog } from './dialog.tsx'
import { Badge, Facts, Moment, Money } from './parts.tsx'
import { Projection } from './projection.tsx'

interface Props {
  readonly entry: PlanEntry
  readonly plan: ReplenishmentPlan
  readonly machine: string
  readonly onClose: () => void
}

export function PlanDetail({ entry, plan, machine, onClose }: Props) {
  const words = w().plan
  const { demand, recommendation } = entry
  const visit = plan.visits?.find(({ location }) => location === entry.location)
  return (
    <Dialog title={entry.item.title} drawer onClose={onClose}>
      <p>
        <Badge tone={ACTION_TONE[recommendation.action]}>
          {w().planAction[recommendation.action]} {recommendation.quantity ?? ''}
        </Badge>
      </p>
      <p class="reasoning">{explain(entry, plan.lead_time.days, visit)}</p>
      <Projection
        stock={entry.stock}
        capacity={entry.capacity}
        dailyRate={demand.daily_rate}
        leadDays={plan.lead_time.days}
        days={horizonDays(plan)}
      />
      <p class="note">{words.projectionNote}</p>
      <Facts
        of={[
          [words.machine, <a href={href.machine(entry.location)}>{machine}</a>],
          [words.sku, <a href={href.sku(entry.item.id, entry.location)}>{entry.item.id}</a>],
          entry.price ? [words.price, <Money fen={entry.price.amount} />] : undefined,
          [
            words.stock,
            entry.capacity ? `${entry.stock} / ${entry.capacity}` : `${entry.stock} (${words.capacityUnknown})`,
          ],
          [
            words.rate,
            demand.measured ? decimal(demand.daily_rate) : `${decimal(demand.daily_rate)} (${words.inferredLong})`,
          ],
          [words.naiveRate, decimal(demand.naive_daily_rate)],
          [words.observed, words.observedText(demand.available_days, demand.empty_days, demand.closed_days)],
          entry.stockout_at ? [words.stockout, <Moment at={entry.stockout_at} />] : undefined,
          entry.target === undefined ? undefined : [words.target, decimal(entry.target)],
          entry.pending_run
            ? [words.pendingRun, <a href={href.run(entry.pending_run)}>{entry.pending_run}</a>]
            : undefined,
        ]}
      />
    </Dialog>
  )
}
