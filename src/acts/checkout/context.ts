/** What completing and recovering need beyond the shared context: sleeping, and timers of sessions in progress. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { type PendingTimers, pendingTimers } from './purchase/pending-timers.ts'

export interface CheckoutContext extends Context {
  readonly pendingTimers: PendingTimers
  readonly sleep: (ms: number) => Promise<void>
}

/** One per process. */
export const checkoutContext = (ctx: Context, sleep: CheckoutContext['sleep'] = (ms) => wait(ms)): CheckoutContext => ({
  ...ctx,
  pendingTimers: pendingTimers(ctx.clock),
  sleep,
})
