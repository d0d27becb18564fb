/**
 * The planner over standard input, with the same code as the service: one JSON state per line in, one plan per line out.
 * A line that cannot be read gives an error line; the following lines are still planned.
 */
import { HOUR, MINUTE, rfc3339 } from '../../../kernel/clock.ts'
import { demandView } from '../plan/view.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import { planParamsView } from '../../../kernel/plan-params.ts'
import { type Plan, planRoute } from '../planner/plan.ts'
import type { Zone } from '../planner/input.ts'
import { type ReadState, readState } from './read-input.ts'

/** Plans come in the order of the lines. `write` is awaited, so that a slow reader is not flooded. */
export async function planLines(
  input: AsyncIterable<string | Uint8Array>,
  write: (text: string) => unknown,
): Promise<void> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  const planNext = async () => {
    const line = parts.join('')
    parts = []
    if (line.trim() !== '') await write(`${planLine(line)}\n`)
  }
  for await (const chunk of input) {
    const [first = '', ...more] = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split(
      '\n',
    )
    parts.push(first)
    for (const next of more) {
      await planNext()
      parts.push(next)
    }
  }
  await planNext()
}

export function planLine(line: string): string {
  try {
    const state = readState(JSON.parse(line))
    return JSON.stringify(planView(planRoute(state), state))
  } catch (problem) {
    return JSON.stringify({ error: problem instanceof Error ? problem.message : 'The state cannot be read' })
  }
}

function planView(plan: Plan, state: ReadState) {
  const zones = new Map(state.machines.map(({ location, zone }) => [location, zone]))
  return {
    strategy_version: plan.strategyVersion,
    params: planParamsView(plan.params, state.reviewDays),
    lead_time: plan.leadTime,
    plans: plan.plans.map((entry) => entryView(entry, zones.get(entry.location) ?? { offsetMin: 0 })),
    orders: plan.plans.flatMap(({ slotId, recommendation: { action, quantity } }) =>
      action === 'order' ? [{ slot_id: slotId, quantity }] : [],
    ),
    forecasts: plan.plans.map(({ slotId, nextWeekDemand }) => ({ slot_id: slotId, mean_7d: nextWeekDemand })),
    visits: plan.visits.map(({ location, visit }) => ({
      location,
      go: visit.go,
      risk_share: visit.riskShare,
      load: visit.load,
    })),
    ...(plan.unknown.length === 0 ? {} : { unknown_stock: plan.unknown.map(({ slotId }) => slotId) }),
    ...(plan.truncated.length === 0
      ? {}
      : { truncated: plan.truncated.map(({ location, windowDays }) => ({ location, window_days: windowDays })) }),
    ...(state.undated === 0 ? {} : { undated_lines: state.undated }),
  }
}

const entryView = ({ demand, ...entry }: PlanEntry, zone: Zone) => ({
  slot_id: entry.slotId,
  location: entry.location,
  stock: entry.stock,
  demand: demandView(demand),
  days_of_cover: entry.daysOfCover,
  stockout_at: entry.stockoutAt === null ? null : rfc3339(entry.stockoutAt, zoneName(zone)),
  recommendation: entry.recommendation,
})

/** `+08:00` is a valid zone name, too. */
function zoneName(zone: Zone): string {
  if ('timeZone' in zone) return zone.timeZone
  const minutes = Math.abs(zone.offsetMin)
  const twoDigits = (n: number) => String(n).padStart(2, '0')
  return `${zone.offsetMin < 0 ? '-' : '+'}${twoDigits(Math.floor((minutes * MINUTE) / HOUR))}:${twoDigits(minutes % 60)}`
}
