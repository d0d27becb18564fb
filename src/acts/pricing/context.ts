/** What pricing needs beyond the shared context: how long a price may still arrive at its machine. */
import type { Context } from '../../context.ts'
import { type ArrivalTimers, arrivalTimers } from '../../effects/arrival.ts'
import { watchEffect } from '../../effects/watch-records.ts'
import type { Tx } from '../../store/store.ts'
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

/** The machine is asked what came of a change, for the first time after `firstMs`. */
export const watchChange = (
  { clock, config }: PricingContext,
  tx: Tx,
  { seq, namespace, location }: PriceChange,
  firstMs = config.upstreamTimeoutMs,
): Promise<void> =>
  watchEffect(
    tx,
    { kind: 'price_change', subject: String(seq), receiver: `${namespace} ${location}` },
    clock.now(),
    firstMs,
  )
