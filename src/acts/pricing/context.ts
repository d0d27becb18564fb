/** What pricing needs beyond the shared context: how long a price may still arrive at its machine. */
import type { Context } from '../../context.ts'
import { type ArrivalTimers, arrivalTimers } from '../../effects/arrival.ts'
import type { PriceChange } from './records.ts'

export interface PricingContext extends Context {
  readonly arrivals: ArrivalTimers
}

export const pricingContext = (ctx: Context): PricingContext => ({
  ...ctx,
  arrivals: arrivalTimers(ctx.clock, ctx.config.upstreamTimeoutMs),
})

/** One attempt to send a change. */
export const attemptOf = ({ seq, attempts }: Pick<PriceChange, 'seq' | 'attempts'>): string => `${seq} ${attempts}`

/** Starts to measure it where this process has not yet. */
export const mayStillArrive = ({ arrivals }: PricingContext, change: PriceChange): boolean =>
  arrivals.remainingMs(attemptOf(change)) > 0
