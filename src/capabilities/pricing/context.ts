/** What pricing needs beyond the shared context: one set of timers for each process. */
import type { Context } from '../context.ts'
import { doubtTimers } from './doubt.ts'
import type { DoubtTimers } from './doubt.ts'

export interface PricingContext extends Context {
  readonly doubts: DoubtTimers
}

export const pricingContext = (ctx: Context): PricingContext => ({
  ...ctx,
  doubts: doubtTimers(ctx.clock, ctx.config.upstreamTimeoutMs),
})
