/** GET /replenishment/plan (4.7): what the strategy would order now. A read: nothing is kept, nobody is called. */
import type { Reply } from '../../contract/handlers.ts'
import { breathe } from '../locations/at-most.ts'
import { gather } from './gather.ts'
import type { Gathered, GatherNeeds } from './gather.ts'
import { planRouteInSlices } from './plan.ts'
import type { Plan } from './plan.ts'
import { planReply } from './plan-view.ts'

export interface Planned {
  readonly gathered: Gathered
  readonly plan: Plan
}

/** The plan of this moment. */
export async function planNow(floor: GatherNeeds): Promise<Planned> {
  const gathered = await gather(floor)
  return { gathered, plan: await planRouteInSlices(gathered.state, breathe) }
}

export async function getPlan(floor: GatherNeeds): Promise<Reply<'getPlan'>> {
  const { gathered, plan } = await planNow(floor)
  return planReply(gathered, plan, floor.config.timeZone)
}
