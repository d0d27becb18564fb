/** GET /replenishment/plan: what the strategy would order now. Writes nothing and calls no upstream. */
import type { Reply } from '../../../contract/handlers.ts'
import type { PlanQuery } from '../../../contract/shapes/replenishment.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { findLocation, laneNameOf, listSlots } from '../../../route/locations/index.ts'
import { planInSlices, routePlanner } from '../planner/plan.ts'
import { type PlanDeps, type PlanScope, loadPlanInput, loadPlanContext } from './load-input.ts'
import { findNextDatesOfWaiting } from './next-due.ts'
import { listOpenRuns } from '../runs/records.ts'
import { findSessionStatuses } from '../runs/purchases/sessions.ts'
import { computeRounding } from './rounding.ts'
import { type BringingRun, summarizePlan } from './summary.ts'
import { loadTakeBacks } from './take-backs.ts'
import { parsePlanCursor, partOf } from './page.ts'
import { type SlotPositions, planReply } from './view.ts'

export type CurrentPlan = Readonly<Awaited<ReturnType<typeof computePlan>>>

export async function computePlan(ctx: PlanDeps, scope?: PlanScope) {
  const context = await loadPlanContext(ctx, scope)
  const planner = routePlanner(context.settings)
  const input = await loadPlanInput(ctx, context, (machine) => planner.observe(machine))
  return { input, plan: await planInSlices(planner, yieldToEventLoop) }
}

export async function getPlan(ctx: PlanDeps, query: PlanQuery): Promise<Outcome<Reply<'getPlan'>>> {
  const cursor = parsePlanCursor(query.cursor)
  if (!cursor.ok) return cursor
  const { location, only, ...filters } = query
  // Its figures are those of the whole route: under a filter they would be taken for those of a part.
  if (only !== undefined && [location, ...Object.values(filters)].some((value) => value !== undefined))
    return refuse('invalid', '`only` is about the whole route and takes no other filter', '$.only')
  if (location !== undefined && !(await findLocation(ctx.store.db, location)))
    return refuse('not_found', 'Machine not found', '$.location')
  const { input, plan } = await computePlan(ctx)
  const page = partOf(plan, query, cursor.value)
  const rounding = await computeRounding(ctx, plan, input)
  // Only for one machine: of a whole route this would be most of the reply.
  const positions = query.location === undefined ? undefined : await loadSlotPositions(ctx, query.location)
  const takeBacks = query.location === undefined ? [] : await loadTakeBacks(ctx, query.location)
  const nextDates =
    query.only === undefined ? await findNextDatesOfWaiting({ input, plan }, page?.visits ?? plan.visits) : undefined
  const { fromStoreroom } = rounding
  const summary =
    query.only === 'summary'
      ? summarizePlan({
          plan,
          input,
          fromStoreroom,
          bringing: await findBringingRuns(ctx),
          currency: ctx.config.currency,
        })
      : undefined
  const withStocks = query.only === 'visits'
  const locale = ctx.config
  return accept(
    await planReply({ input, plan, rounding, positions, takeBacks, locale, nextDates, page, summary, withStocks }),
  )
}

/** By slot; the newest run where several bring something. */
async function findBringingRuns({
  store,
  clock,
}: Pick<PlanDeps, 'store' | 'clock'>): Promise<ReadonlyMap<string, BringingRun>> {
  const runs = await listOpenRuns(store.db)
  const sessions = await findSessionStatuses(store.db, runs, clock.now())
  const found = new Map<string, BringingRun>()
  for (const { id, checkouts, lines } of runs) {
    const isOrdered = checkouts.length === 0 || checkouts.some((each) => sessions.get(each.id) === 'completed')
    for (const { slotId } of lines) found.set(slotId, { id, isOrdered })
  }
  return found
}

/** Where the slots of a machine are, by slot id. */
const loadSlotPositions = async ({ store }: Pick<Context, 'store'>, location: string): Promise<SlotPositions> =>
  new Map(
    (await listSlots(store.db, [location])).map((slot) => {
      const [position, lane] = [slot.position, laneNameOf(slot)]
      return [slot.slotId, { ...(position ? { position } : {}), ...(lane === undefined ? {} : { lane }) }]
    }),
  )
