/** A plan on the wire (2.8), entry by entry, with the JSON text made on the way: a long plan written in one go would
 * keep everyone else waiting. */
import { ACTIVE } from '../../../contract/capabilities.ts'
import { success } from '../../../contract/envelope.ts'
import type { Reply } from '../../../contract/handlers.ts'
import type { PlanEntry as WireEntry, ReplenishmentPlan } from '../../../contract/replenishment.ts'
import { joinWithCommas, readyReply } from '../../../contract/json-stream.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import { fen } from '../../../kernel/fen.ts'
import { warning } from '../../../kernel/message.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { price } from '../../skus/index.ts'
import type { Gathered } from './load-input.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import { planParamsView } from '../../../kernel/plan-params.ts'
import type { Plan } from '../planner/plan.ts'
import type { PlanSlot } from './records.ts'

/** Entries written before others get a turn. */
const ENTRIES_AT_ONCE = 500
const ENVELOPE = JSON.stringify(success(ACTIVE.replenishment))
/** Machines named in a warning; there may be thousands. */
const NAMED = 5

export async function planReply(gathered: Gathered, plan: Plan, timeZone: string): Promise<Reply<'getPlan'>> {
  const { slots, waiting } = gathered
  const written: Buffer[] = []
  for (let from = 0; from < plan.plans.length; from += ENTRIES_AT_ONCE) {
    const part = plan.plans
      .slice(from, from + ENTRIES_AT_ONCE)
      .map((entry) => entryView(entry, slots.get(entry.slotId)!, waiting.get(entry.slotId)?.[0], timeZone))
    written.push(Buffer.from(JSON.stringify(part)).subarray(1, -1))
    await yieldToEventLoop()
  }
  const head = {
    strategy_version: plan.strategyVersion,
    params: planParamsView(plan.params, gathered.terms.reviewDays),
    lead_time: plan.leadTime,
  }
  const messages = [...truncations(plan), ...gathered.messages]
  const tail: Pick<ReplenishmentPlan, 'visits' | 'messages'> = {
    visits: plan.visits.map(({ location, visit }) => ({
      location,
      go: visit.go,
      risk_share: Math.round(visit.riskShare * 1e4) / 1e4,
      load: visit.load,
    })),
    ...(messages.length > 0 ? { messages } : {}),
  }
  return readyReply([
    Buffer.from(`{"ucp":${ENVELOPE},${JSON.stringify(head).slice(1, -1)},"plans":[`),
    ...joinWithCommas(written),
    Buffer.from(`],${JSON.stringify(tail).slice(1)}`),
  ])
}

function entryView(entry: PlanEntry, slot: PlanSlot, pendingRun: string | undefined, timeZone: string): WireEntry {
  const { demand, basis, recommendation, daysOfCover, stockoutAt } = entry
  const { action, quantity } = recommendation
  return {
    slot_id: entry.slotId,
    location: entry.location,
    item: { id: slot.skuId, title: slot.title },
    stock: entry.stock,
    capacity: slot.capacity,
    price: price(fen(slot.price)),
    demand: {
      daily_rate: demand.dailyRate,
      naive_daily_rate: demand.naiveDailyRate,
      available_days: demand.availableDays,
      empty_days: demand.emptyDays,
      closed_days: demand.closedDays,
      measured: demand.measured,
    },
    days_of_cover: daysOfCover,
    stockout_at: stockoutAt === null ? null : rfc3339(stockoutAt, timeZone),
    at_risk: basis.atRisk,
    target: Math.round(basis.target * 100) / 100,
    recommendation: quantity === undefined ? { action } : { action, quantity },
    ...(pendingRun === undefined ? {} : { pending_run: pendingRun }),
  }
}

/** One warning for all machines whose ledger was cut at the same day. */
function truncations({ truncated, params }: Plan): NoteMessage[] {
  const byDays = Map.groupBy(truncated, ({ windowDays }) => windowDays)
  return [...byDays].map(([days, machines]) => {
    const named = machines.slice(0, NAMED).map(({ location }) => location)
    const others = machines.length > NAMED ? ` and ${machines.length - NAMED} more` : ''
    return warning(
      'history_truncated',
      `only ${days} of ${params.window_days} days of sales are complete for ${named.join(', ')}${others}`,
    )
  })
}
