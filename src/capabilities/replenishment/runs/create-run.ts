/** POST /replenishment/runs (4.7): creates a run from the current plan. Nothing is ordered yet. */
import { callerKey } from '../../../kernel/caller.ts'
import { add } from '../../../kernel/fen.ts'
import { DELIVERED_LINES_MAX } from '../../../contract/limits.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { accept, refuseBusy } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { createPending } from '../../approvals/index.ts'
import { loadSpent } from '../../checkout/index.ts'
import type { Context } from '../../context.ts'
import { readGuardrails, spendVerdict } from '../../guardrails/index.ts'
import type { Rules } from '../../guardrails/index.ts'
import { newestCosts } from '../../sales/index.ts'
import { addressOf } from '../../locations/index.ts'
import { recordForecasts } from '../forecasts/record-forecasts.ts'
import type { PlanInput } from '../plan/load-input.ts'
import { planNow } from '../plan/get-plan.ts'
import { unknownStocks } from '../plan/view.ts'
import type { CurrentPlan } from '../plan/get-plan.ts'
import { STRATEGY_VERSION } from '../planner/plan.ts'
import { draftLines } from './draft-lines.ts'
import type { PlannedLine } from './draft-lines.ts'
import { boxedProducts, roundingOf, unitsOf } from './order-quantities.ts'
import { appendRunEvent, countRunChange, findRun, insertRun, updateRun } from './records.ts'
import { MESSAGES_MAX, totalFen } from './run.ts'
import type { RouteStop, Run, RunLine } from './run.ts'
import { sourcesOf } from '../../skus/index.ts'
import { coveredByOtherRun, decisionAbout } from './texts.ts'

/** As many as one receipt can count; the rest is left to the next run. */
const LINES_MAX = DELIVERED_LINES_MAX
const TRIES = 5

/** Runs changed since the plan was made: plan again. */
class RunsChangedError extends Error {}

export async function createRun(ctx: Context): Promise<Outcome<Run>> {
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const { rules, killSwitch } = guard.value
  if (killSwitch.engaged) return accept(await insertBlocked(ctx))
  for (let left = TRIES; left > 0; left--) {
    try {
      const current = await planNow(ctx)
      const run = await insertFromPlan(ctx, current, rules)
      await tryRecordForecasts(ctx, current)
      return accept(run)
    } catch (failure) {
      if (!(failure instanceof RunsChangedError)) throw failure
    }
  }
  return refuseBusy('Other runs keep changing', 1)
}

/** A failure does not affect the run: the job records the forecasts later. */
async function tryRecordForecasts(ctx: Context, current: CurrentPlan): Promise<void> {
  try {
    await recordForecasts(ctx, current)
  } catch (err) {
    ctx.log.warn({ err }, 'The forecasts could not be stored')
  }
}

/** `blocked` differs from `nothing_to_do`: no plan was made. */
const insertBlocked = ({ store, clock }: Context): Promise<Run> =>
  store.transaction(async (tx) => {
    await countRunChange(tx)
    return insertRun(tx, {
      createdAt: clock.now(),
      status: 'blocked',
      strategyVersion: STRATEGY_VERSION,
      stops: [],
      checkouts: [],
      messages: [],
      lines: [],
    })
  })

async function insertFromPlan(ctx: Context, { input, plan }: CurrentPlan, rules: Rules): Promise<Run> {
  const { now } = input.settings
  const planned = plannedLines({ input, plan })
  const ids = planned.map(({ skuId }) => skuId)
  const sources = await sourcesOf(ctx, ids)
  const { lines, messages } = draftLines(planned, sources, rules, await newestCosts(ctx.store.db, ids))
  const rounding = roundingOf(lines, sources.values())
  const notes = [
    ...messages,
    ...unknownStocks(plan),
    ...rounding.messages,
    ...otherRunMessages(lines, input.pendingRuns),
  ].slice(0, MESSAGES_MAX)
  const purchase = { totalFen: add(totalFen(lines), rounding.extraFen), key: callerKey() ?? '' }
  const verdict = spendVerdict(rules, purchase, now, await loadSpent(ctx.store.db, rules, now))
  const status = lines.length === 0 ? 'nothing_to_do' : verdict.allowed ? 'approved' : 'pending_approval'
  const draft = {
    createdAt: now,
    status,
    strategyVersion: plan.strategyVersion,
    stops: routeStops(input, lines),
    checkouts: [],
    ...boxedProducts(unitsOf(sources.values())),
    messages: notes,
    lines,
  } as const

  return ctx.store.transaction(async (tx) => {
    if ((await countRunChange(tx)) !== input.version) throw new RunsChangedError()
    const run = await insertRun(tx, draft)
    if (status === 'nothing_to_do') return run
    await appendRunEvent(tx, run.id, 'planned', now)
    if (status === 'approved') await appendRunEvent(tx, run.id, 'approved', now)
    else
      await updateRun(tx, run.id, status, {
        decision: await createPending(ctx, tx, decisionAbout(run, verdict, ctx.config.currency)),
      })
    return (await findRun(tx, run.id)) ?? run
  })
}

/**
 * What the plan orders. Slots that another run, not placed yet, covers are included: nothing was ordered for them, and
 * placing removes the lines of whichever run is placed second.
 */
function plannedLines({ input, plan }: CurrentPlan): PlannedLine[] {
  const { slots } = input
  const planned: PlannedLine[] = []
  for (const { slotId, recommendation } of plan.plans) {
    const { action, quantity } = recommendation
    const slot = slots.get(slotId)
    if (action !== 'order' || quantity === undefined || !slot) continue
    const { location, vendorSku, skuId, title } = slot
    planned.push({ location, vendorSku, slotId, skuId, title, retailFen: slot.price, quantity })
    if (planned.length === LINES_MAX) break
  }
  return planned
}

/** One message per run, not placed yet, that covers slots of this one. */
function otherRunMessages(lines: readonly RunLine[], pendingRuns: PlanInput['pendingRuns']): NoteMessage[] {
  const pairs = lines.flatMap(({ slotId }) => (pendingRuns.get(slotId) ?? []).map((run) => ({ run, slotId })))
  return [...Map.groupBy(pairs, ({ run }) => run)].map(([run, shared]) =>
    coveredByOtherRun(
      run,
      shared.map(({ slotId }) => slotId),
    ),
  )
}

const routeStops = ({ locations }: PlanInput, lines: readonly RunLine[]): RouteStop[] =>
  [...new Set(lines.map(({ location }) => location))].map((location) => {
    const known = locations.get(location)
    return { location, name: known?.name ?? location, address: (known && addressOf(known.profile)) ?? {} }
  })
