/** What pricing needs beyond the shared context: one set of timers for each process. */
import type { Context } from '../../context.ts'
import { type DoubtTimers, doubtTimers } from './doubt.ts'

export interface PricingContext extends Context {
  readonly doubts: DoubtTimers
}

export const pricingContext = (ctx: Context): PricingContext => ({
  ...ctx,
  doubts: doubtTimers(ctx.clock, ctx.config.upstreamTimeoutMs),
})
