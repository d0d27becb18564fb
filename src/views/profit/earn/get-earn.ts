/** GET /earn: the ten best next steps of the route, of every kind, with what each is expected to bring a week. Writes nothing. */
import type { Reply } from '../../../contract/handlers.ts'
import type { EarnStep } from '../../../contract/shapes/money/earn.ts'
import type { ProfitRow } from '../../../contract/shapes/money/sales.ts'
import { type Outcome, accept } from '../../../kernel/outcome.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { layoutReply, listDeadStock, loadSwaps } from '../../../acts/replenishment/index.ts'
import { type TrialContext, listExperiments } from '../../../acts/trials/index.ts'
import { type Rules, readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { getProfit } from '../get-profit.ts'
import { addSteps } from '../steps/add-steps.ts'
import { chooseSteps, roughly } from './choose.ts'

/** Layouts are computed for the machines that sell most: there a lane is worth most. */
const LAYOUTS_MAX = 5
const WORST_MAX = 20
const DAYS_PER_MONTH = 30

export async function getEarn(ctx: TrialContext): Promise<Outcome<Reply<'getEarn'>>> {
  const rules = await readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const prices = await listExperiments(ctx)
  if (!prices.ok) return prices
  const steps = [
    ...(await swapSteps(ctx, rules.value)),
    ...prices.value.body.proposals.map(({ item, change, expected, machines }): EarnStep => ({
      step: 'price',
      expected,
      item,
      change,
      machines: machines.filter(({ role }) => role === 'treated').length,
    })),
    ...(await layoutSteps(ctx, rules.value)),
    ...(await machineSteps(ctx)),
  ]
  return accept({ body: { currency: ctx.config.currency, steps: [...chooseSteps(steps)] } })
}

async function swapSteps(ctx: TrialContext, rules: Rules): Promise<readonly EarnStep[]> {
  const route = await loadSwaps(ctx, rules)
  const { titles, machineName } = route
  const itemOf = (id: string) => ({ id, title: titles.get(id) ?? id })
  const where = (location: string) => ({ location, location_name: machineName(location) ?? location })
  return [
    ...route.proposals.map(({ location, slotId, out, in: better, weeklyGainFen, gainErrorFen }): EarnStep => ({
      step: 'swap',
      expected: { gain: weeklyGainFen, error: gainErrorFen },
      ...where(location),
      slot_id: slotId,
      item: itemOf(out.sku),
      in: itemOf(better.sku),
    })),
    ...listDeadStock(route.current).map(({ location, slotId, sku, units, weeklyFen }): EarnStep => ({
      step: 'dead_stock',
      expected: roughly(weeklyFen),
      ...where(location),
      slot_id: slotId,
      item: itemOf(sku),
      units,
    })),
  ]
}

async function layoutSteps(ctx: TrialContext, { layoutChangesPerVisit }: Rules): Promise<readonly EarnStep[]> {
  const best = await getProfit(ctx, { by: 'location', sort: '-revenue', limit: LAYOUTS_MAX })
  if (!best.ok) return []
  const steps: EarnStep[] = []
  for (const { key } of best.value.body.rows) {
    if (key.location === undefined) continue
    const layout = await layoutReply(ctx, key.location)
    await yieldToEventLoop()
    if (!layout.ok) continue
    const all = layout.value.body.lanes
    const room = layoutChangesPerVisit - all.filter(({ status }) => status === 'accepted').length
    const lanes = all.filter(({ status }) => status === 'proposed').slice(0, Math.max(0, room))
    if (lanes.length === 0) continue
    steps.push({
      step: 'layout',
      expected: roughly(lanes.reduce((sum, lane) => sum + lane.weekly_gain, 0)),
      location: key.location,
      location_name: key.title ?? key.location,
      lanes: lanes.map(({ lane, now, proposed }) => ({ lane, now, proposed })),
    })
  }
  return steps
}

/** What the machines that earn least cost: visits, commission, goods that are thrown away. */
async function machineSteps(ctx: TrialContext): Promise<readonly EarnStep[]> {
  const query = { by: 'location', sort: 'profit', limit: WORST_MAX } as const
  const worst = await getProfit(ctx, query)
  if (!worst.ok) return []
  const { period, rows } = await addSteps(ctx, query, worst.value.body, 'machine')
  const days = (Date.parse(period.to) - Date.parse(period.from)) / (24 * 60 * 60 * 1000) + 1
  return rows.flatMap((row) => toMachineStep(row, days) ?? [])
}

function toMachineStep({ key, next_step: next, profit }: ProfitRow, days: number): EarnStep | undefined {
  if (!next || key.location === undefined) return undefined
  const { step } = next
  if (step !== 'fewer_visits' && step !== 'less_stock' && step !== 'renegotiate' && step !== 'remove') return undefined
  return {
    step,
    expected: roughly(next.gain_per_week),
    location: key.location,
    location_name: key.title ?? key.location,
    ...(next.visit_every_days === undefined ? {} : { visit_every_days: next.visit_every_days }),
    profit_per_month: Math.round((profit * DAYS_PER_MONTH) / days),
  }
}
