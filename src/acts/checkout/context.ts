/** What completing and recovering need beyond the shared context: sleeping, and how long an order may still arrive. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { Session } from './session.ts'

export interface CheckoutContext extends Context {
  readonly sleep: (ms: number) => Promise<void>
}

export const checkoutContext = (ctx: Context, sleep: CheckoutContext['sleep'] = (ms) => wait(ms)): CheckoutContext => ({
  ...ctx,
  sleep,
})

/** How long the order of the last attempt may still arrive. Starts to measure it where this process has not yet. */
export const mayArriveForMs = (
  { arrivals }: Pick<Context, 'arrivals'>,
  { id, attemptNo, outcomeUnknown }: Pick<Session, 'id' | 'attemptNo' | 'outcomeUnknown'>,
): number => arrivals.remainingMs({ kind: 'purchase', subject: id, attempt: attemptNo }, outcomeUnknown !== undefined)
