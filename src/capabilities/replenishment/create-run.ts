/** POST /replenishment/runs (4.7): the current plan becomes a run. Nothing is bought yet. */
import { DELIVERED_LINES_MAX } from '../../contract/limits.ts'
import { DAY } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { openDecision } from '../approvals/records.ts'
import type { Floor } from '../floor.ts'
import { readGuard } from '../guard/rulebook.ts'
import { spendVerdict } from '../guard/rules.ts'
import type { Rules } from '../guard/rules.ts'
import { newestCosts } from '../locations/known-costs.ts'
import { addressOf } from '../locations/profile.ts'
import { recordForecasts } from './forecasts.ts'
import type { Gathered } from './gather.ts'
import { planNow } from './get-plan.ts'
import type { Planned } from './get-plan.ts'
import { STRATEGY_VERSION } from './plan.ts'
import { appendRunEvent, countRunChange, findRun, insertRun, moveRun } from './records.ts'
import { draftLines, totalFen } from './run.ts'
import type { Run, Stop, Wanted } from './run.ts'
import { sourcesOf } from './sources.ts'
import { decisionAbout } from './wording.ts'

/** A run nobody placed for this long is taken for forgotten: the slots it holds may be ordered for again. */
export const HOLD_MS = 7 * DAY
/** What one receipt can count. The rest waits for the next run. */
const LINES_MAX = DELIVERED_LINES_MAX
const TRIES = 5

/** A run is made of the runs it saw; when they changed meanwhile, it looks again. */
class RunsChanged extends Error {}

export async function createRun(floor: Floor): Promise<Outcome<Run>> {
  const guard = await readGuard(floor)
  if (!guard.ok) return guard
  const { rules, stop } = guard.value
  if (stop.engaged) return accept(await blocked(floor))
  for (let left = TRIES; left > 0; left--) {
    try {
      const planned = await planNow(floor)
      const run = await make(floor, planned, rules)
      await keepForecasts(floor, planned)
      return accept(run)
    } catch (failure) {
      if (!(failure instanceof RunsChanged)) throw failure
    }
  }
  return refuse('rate_limited', 'other runs keep changing; try again', undefined, { retryAfter: 1 })
}

/** The run stands whatever becomes of them; the job records what is missing. */
async function keepForecasts(floor: Floor, planned: Planned): Promise<void> {
  try {
    await recordForecasts(floor, planned)
  } catch (err) {
    floor.log.warn({ err }, 'the forecasts of this run could not be kept')
  }
}

/** Told apart from a route that needs nothing: here nobody looked. */
const blocked = ({ store, clock }: Floor): Promise<Run> =>
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

async function make(floor: Floor, { gathered, plan }: Planned, rules: Rules): Promise<Run> {
  const { now } = gathered.terms
  const wanted = wantedBy({ gathered, plan })
  const ids = wanted.map(({ skuId }) => skuId)
  const sources = await sourcesOf(floor, ids)
  const { lines, messages } = draftLines(wanted, sources, rules, await newestCosts(floor.store.db, ids))
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
    messages,
    lines,
  } as const

  return floor.store.transaction(async (tx) => {
    if ((await countRunChange(tx)) !== gathered.version) throw new RunsChanged()
    const run = await insertRun(tx, draft)
    if (status === 'nothing_to_do') return run
    await appendRunEvent(tx, run.id, 'planned', now)
    if (status === 'approved') await appendRunEvent(tx, run.id, 'approved', now)
    else await moveRun(tx, run.id, status, { decision: await openDecision(floor, tx, decisionAbout(run, verdict)) })
    return (await findRun(tx, run.id)) ?? run
  })
}

/** What the plan orders, without slots that another run, not placed yet, already holds: nobody orders twice by mistake. */
function wantedBy({ gathered, plan }: Planned): Wanted[] {
  const { slots, waiting, terms } = gathered
  const wanted: Wanted[] = []
  for (const { slotId, recommendation } of plan.plans) {
    const { action, quantity } = recommendation
    const slot = slots.get(slotId)
    const held = waiting.get(slotId)
    if (action !== 'order' || quantity === undefined || !slot) continue
    if (held && terms.now - held.createdAt < HOLD_MS) continue
    const { location, vendorSku, skuId, title } = slot
    wanted.push({ location, vendorSku, slotId, skuId, title, retailFen: slot.price, quantity })
    if (wanted.length === LINES_MAX) break
  }
  return wanted
}

const stopsOf = ({ locations }: Gathered, visited: readonly Stop['location'][]): Stop[] =>
  [...new Set(visited)].map((location) => {
    const known = locations.get(location)
    return { location, name: known?.name ?? location, address: (known && addressOf(known.profile)) ?? {} }
  })
