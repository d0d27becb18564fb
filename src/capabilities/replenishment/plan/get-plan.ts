/** GET /replenishment/plan (4.7): what the strategy would order now. A read: nothing is kept, nobody is called. */
import type { Reply } from '../../../contract/handlers.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { loadPlanInput, planContext } from './load-input.ts'
import type { Gathered, GatherNeeds } from './load-input.ts'
import { planInSlices, routePlanner } from '../planner/plan.ts'
import type { Plan } from '../planner/plan.ts'
import { planReply } from './view.ts'

export interface Planned {
  readonly gathered: Gathered
  readonly plan: Plan
}

/** The plan of this moment. */
export async function planNow(ctx: GatherNeeds): Promise<Planned> {
  const route = await planContext(ctx)
  const planner = routePlanner(route.terms)
  const gathered = await loadPlanInput(ctx, route, (machine) => planner.watch(machine))
  return { gathered, plan: await planInSlices(planner, yieldToEventLoop) }
}

export async function getPlan(ctx: GatherNeeds): Promise<Reply<'getPlan'>> {
  const { gathered, plan } = await planNow(ctx)
  return planReply(gathered, plan, ctx.config.timeZone)
}
