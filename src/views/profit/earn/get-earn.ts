/**
 * GET /earn: the ten best next steps of the route or of one machine, of every kind, with what each is expected to bring a
 * week; of one machine also whether it is worth its place. Writes nothing.
 */
import type { Reply } from '../../../contract/handlers.ts'
import type { EarnList, EarnQuery, EarnStep, MachineWorth } from '../../../contract/shapes/money/earn.ts'
import { addDays, localDay } from '../../../kernel/clock.ts'
import type { LocationId } from '../../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { WEEKS_TO_SELL, layoutReply, listDeadStock, loadMoves, loadSwaps } from '../../../acts/replenishment/index.ts'
import { type TrialContext, listExperiments } from '../../../acts/trials/index.ts'
import { type Rules, readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { figuresView } from '../figures.ts'
import { getProfit, unknownCosts } from '../get-profit.ts'
import { type LocationRecord, findLocation } from '../../../route/locations/index.ts'
import { addSteps, loadMachine } from '../steps/add-steps.ts'
import { possibleSteps, profitOf } from '../steps/next-step.ts'
import { chooseSteps, roughly } from './choose.ts'
import { perMonth, worthOf } from './worth.ts'

/** Layouts are computed for the machines that sell most: there a lane is worth most. */
const LAYOUTS_MAX = 5
const WORST_MAX = 20
/** Days that say what a machine earns a month. */
const WORTH_DAYS = 28

export async function getEarn(ctx: TrialContext, { location }: EarnQuery): Promise<Outcome<Reply<'getEarn'>>> {
  const rules = await readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const prices = await listExperiments(ctx)
  if (!prices.ok) return prices
  const { currency } = ctx.config
  const ofProducts = [...(await swapSteps(ctx, rules.value)), ...priceSteps(prices.value.body.proposals, location)]
  if (location !== undefined) {
    const machine = await findLocation(ctx.store.db, location)
    if (!machine) return refuse('not_found', 'Machine not found', '$.location')
    const own = ofProducts.filter((step) => step.step === 'price' || step.location === location)
    const name = { location, location_name: machine.name ?? location }
    const layouts = await layoutSteps(ctx, rules.value, [name])
    return accept({ body: { currency, ...(await machineWorth(ctx, machine, name, [...own, ...layouts])) } })
  }
  const steps = [
    ...ofProducts,
    ...(await layoutSteps(ctx, rules.value, await bestMachines(ctx))),
    ...(await worstMachines(ctx)),
  ]
  return accept({ body: { currency, steps: [...chooseSteps(steps)] } })
}

type Named = Required<Pick<EarnStep, 'location' | 'location_name'>>

/** Of one machine: the part of the gain that is expected of it. */
function priceSteps(
  proposals: Reply<'listExperiments'>['body']['proposals'],
  location: string | undefined,
): readonly EarnStep[] {
  return proposals.flatMap(({ item, change, expected, machines }): EarnStep[] => {
    const treated = machines.filter(({ role }) => role === 'treated')
    if (location !== undefined && !treated.some((each) => each.location === location)) return []
    const part = location === undefined ? 1 : 1 / treated.length
    const gain = { gain: Math.round(expected.gain * part), error: Math.round(expected.error * part) }
    return [{ step: 'price', expected: gain, item, change, machines: treated.length }]
  })
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
      ...(better.newSku === undefined ? {} : { price: better.priceFen }),
    })),
    ...(await loadMoves(ctx, undefined, route.current)).map(({ sku, from, to, units, gainFen }): EarnStep => ({
      step: 'move',
      // Once, not every week: spread as the goods of dead stock are.
      expected: roughly(gainFen / WEEKS_TO_SELL),
      ...where(from.location),
      slot_id: from.slotId,
      item: itemOf(sku),
      units,
      to: where(to.location),
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

async function bestMachines(ctx: TrialContext): Promise<readonly Named[]> {
  const best = await getProfit(ctx, { by: 'location', sort: '-revenue', limit: LAYOUTS_MAX })
  if (!best.ok) return []
  return best.value.body.rows.flatMap(({ key: { location, title } }) =>
    location === undefined ? [] : [{ location, location_name: title ?? location }],
  )
}

async function layoutSteps(
  ctx: TrialContext,
  { layoutChangesPerVisit }: Rules,
  machines: readonly Named[],
): Promise<readonly EarnStep[]> {
  const steps: EarnStep[] = []
  for (const machine of machines) {
    const layout = await layoutReply(ctx, machine.location)
    await yieldToEventLoop()
    if (!layout.ok) continue
    const all = layout.value.body.lanes
    const room = layoutChangesPerVisit - all.filter(({ status }) => status === 'accepted').length
    const lanes = all.filter(({ status }) => status === 'proposed').slice(0, Math.max(0, room))
    if (lanes.length === 0) continue
    steps.push({
      step: 'layout',
      expected: roughly(lanes.reduce((sum, lane) => sum + lane.weekly_gain, 0)),
      ...machine,
      lanes: lanes.map(({ lane, now, proposed }) => ({ lane, now, proposed })),
    })
  }
  return steps
}

/** What the machines that earn least cost: visits, commission, goods that are thrown away. */
async function worstMachines(ctx: TrialContext): Promise<readonly EarnStep[]> {
  const query = { by: 'location', sort: 'profit', limit: WORST_MAX } as const
  const worst = await getProfit(ctx, { ...query, ...lastDays(ctx, WORTH_DAYS) })
  if (!worst.ok) return []
  const { rows } = await addSteps(ctx, query, worst.value.body, 'machine')
  return rows.flatMap(({ key: { location, title }, next_step: next, profit }) => {
    if (location === undefined || !next) return []
    const { step, gain_per_week: gain, visit_every_days: everyDays } = next
    return toMachineStep(
      { location, location_name: title ?? location },
      { step, gain, everyDays },
      perMonth(profit, WORTH_DAYS),
    )
  })
}

function toMachineStep(
  machine: Named,
  { step, gain, everyDays }: { readonly step: string; readonly gain: number; readonly everyDays: number | undefined },
  profitPerMonth: number,
): EarnStep[] {
  if (step !== 'fewer_visits' && step !== 'less_stock' && step !== 'renegotiate' && step !== 'remove') return []
  return [
    {
      step,
      expected: roughly(gain),
      ...machine,
      ...(everyDays === undefined ? {} : { visit_every_days: everyDays }),
      profit_per_month: profitPerMonth,
    },
  ]
}

/** Full days, so not today. */
function lastDays({ config, clock }: TrialContext, days: number): MachineWorth['period'] {
  const to = addDays(localDay(clock.now(), config.timeZone), -1)
  return { from: addDays(to, 1 - days), to }
}

/** A machine that came later has no days before it; what it sold before it was registered counts. */
async function daysOfMachine(
  ctx: TrialContext,
  location: LocationId,
  registeredAt: number,
): Promise<MachineWorth['period']> {
  const whole = lastDays(ctx, WORTH_DAYS)
  const since = localDay(registeredAt, ctx.config.timeZone)
  const sold = await getProfit(ctx, { by: 'day', location, ...whole })
  const first = sold.ok ? sold.value.body.rows.find(({ units }) => units > 0)?.key.date : undefined
  const from = [since, first ?? since].toSorted()[0]!
  return { from: from < whole.from ? whole.from : from > whole.to ? whole.to : from, to: whole.to }
}

async function machineWorth(
  ctx: TrialContext,
  { id, registeredAt }: LocationRecord,
  name: Named,
  others: readonly EarnStep[],
): Promise<Pick<EarnList, 'worth' | 'steps' | 'messages'>> {
  const period = await daysOfMachine(ctx, id, registeredAt)
  const machine = await loadMachine(ctx, id, period)
  const profit = perMonth(profitOf(machine.figures), machine.days)
  const possible = possibleSteps(machine)
  const steps = chooseSteps([
    ...others,
    ...possible.flatMap((next) => {
      const everyDays = next.step === 'fewer_visits' ? next.everyDays : undefined
      return toMachineStep(name, { step: next.step, gain: next.gainPerWeek, everyDays }, profit)
    }),
  ])
  const place = possible.find((next) => next.step === 'renegotiate')
  const messages = unknownCosts(ctx, figuresView(machine.figures))
  return {
    worth: worthOf(machine, period, steps, place?.bearable),
    steps: [...steps],
    ...(messages.length > 0 ? { messages } : {}),
  }
}
