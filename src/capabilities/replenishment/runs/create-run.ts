/** POST /replenishment/runs (4.7): the current plan becomes a run. Nothing is bought yet. */
import { DELIVERED_LINES_MAX } from '../../../contract/limits.ts'
import { info } from '../../../kernel/message.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { accept, refuseBusy } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { createPending } from '../../approvals/index.ts'
import type { Context } from '../../context.ts'
import { readGuardrails, spendVerdict } from '../../guardrails/index.ts'
import type { Rules } from '../../guardrails/index.ts'
import { newestCosts } from '../../sales/index.ts'
import { addressOf } from '../../locations/index.ts'
import { recordForecasts } from '../forecasts/record-forecasts.ts'
import type { Gathered } from '../plan/load-input.ts'
import { planNow } from '../plan/get-plan.ts'
import type { Planned } from '../plan/get-plan.ts'
import { STRATEGY_VERSION } from '../planner/plan.ts'
import { appendRunEvent, countRunChange, findRun, insertRun, moveRun } from './records.ts'
import { draftLines, MESSAGES_MAX, totalFen } from './run.ts'
import type { Run, RunLine, RouteStop, Wanted } from './run.ts'
import { sourcesOf } from './sources.ts'
import { decisionAbout, tellSlots } from './texts.ts'

/** What one receipt can count. The rest waits for the next run. */
const LINES_MAX = DELIVERED_LINES_MAX
const TRIES = 5

/** A run is made of the runs it saw; when they changed meanwhile, it looks again. */
class RunsChanged extends Error {}

export async function createRun(ctx: Context): Promise<Outcome<Run>> {
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const { rules, killSwitch } = guard.value
  if (killSwitch.engaged) return accept(await blocked(ctx))
  for (let left = TRIES; left > 0; left--) {
    try {
      const planned = await planNow(ctx)
      const run = await make(ctx, planned, rules)
      await keepForecasts(ctx, planned)
      return accept(run)
    } catch (failure) {
      if (!(failure instanceof RunsChanged)) throw failure
    }
  }
  return refuseBusy('Other runs keep changing', 1)
}

/** The run stands whatever becomes of them; the job records what is missing. */
async function keepForecasts(ctx: Context, planned: Planned): Promise<void> {
  try {
    await recordForecasts(ctx, planned)
  } catch (err) {
    ctx.log.warn({ err }, 'the forecasts of this run could not be kept')
  }
}

/** Told apart from a route that needs nothing: here nobody looked. */
const blocked = ({ store, clock }: Context): Promise<Run> =>
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

async function make(ctx: Context, { gathered, plan }: Planned, rules: Rules): Promise<Run> {
  const { now } = gathered.terms
  const wanted = wantedBy({ gathered, plan })
  const ids = wanted.map(({ skuId }) => skuId)
  const sources = await sourcesOf(ctx, ids)
  const { lines, messages } = draftLines(wanted, sources, rules, await newestCosts(ctx.store.db, ids))
  const notes = [...messages, ...otherRuns(lines, gathered.waiting)].slice(0, MESSAGES_MAX)
  const verdict = spendVerdict(rules, totalFen(lines), now)
  const status = lines.length === 0 ? 'nothing_to_do' : verdict.allowed ? 'approved' : 'pending_approval'
  const draft = {
    createdAt: now,
    status,
    strategyVersion: plan.strategyVersion,
    stops: stopsOf(
      gathered,
      lines.map(({ location }) => location),
    ),
    checkouts: [],
    messages: notes,
    lines,
  } as const

  return ctx.store.transaction(async (tx) => {
    if ((await countRunChange(tx)) !== gathered.version) throw new RunsChanged()
    const run = await insertRun(tx, draft)
    if (status === 'nothing_to_do') return run
    await appendRunEvent(tx, run.id, 'planned', now)
    if (status === 'approved') await appendRunEvent(tx, run.id, 'approved', now)
    else await moveRun(tx, run.id, status, { decision: await createPending(ctx, tx, decisionAbout(run, verdict)) })
    return (await findRun(tx, run.id)) ?? run
  })
}

/**
 * What the plan orders. Slots that another unplaced run covers are not left out: nothing was ordered for them yet, and
 * placing removes the lines of whichever run comes second.
 */
function wantedBy({ gathered, plan }: Planned): Wanted[] {
  const { slots } = gathered
  const wanted: Wanted[] = []
  for (const { slotId, recommendation } of plan.plans) {
    const { action, quantity } = recommendation
    const slot = slots.get(slotId)
    if (action !== 'order' || quantity === undefined || !slot) continue
    const { location, vendorSku, skuId, title } = slot
    wanted.push({ location, vendorSku, slotId, skuId, title, retailFen: slot.price, quantity })
    if (wanted.length === LINES_MAX) break
  }
  return wanted
}

/** One message per run, not placed yet, that covers slots of this one. */
function otherRuns(lines: readonly RunLine[], waiting: Gathered['waiting']): NoteMessage[] {
  const shared = new Map<string, string[]>()
  for (const { slotId } of lines)
    for (const run of waiting.get(slotId) ?? []) shared.set(run, [...(shared.get(run) ?? []), slotId])
  return [...shared].map(([run, slots]) =>
    info('covered_by_other_run', `${run} is not placed yet and covers ${tellSlots(slots)} too; place only one of them`),
  )
}

const stopsOf = ({ locations }: Gathered, visited: readonly RouteStop['location'][]): RouteStop[] =>
  [...new Set(visited)].map((location) => {
    const known = locations.get(location)
    return { location, name: known?.name ?? location, address: (known && addressOf(known.profile)) ?? {} }
  })
