/** Whether a price may still arrive at its machine, which is asked what came of it. */
import type { Context } from '../../context.ts'
import { watchEffect } from '../../effects/watch-records.ts'
import type { Tx } from '../../store/store.ts'
import type { PriceChange } from './records.ts'

/** Starts to measure it where this process has not yet. `hasCallEnded`: the machine was called and gave no clear answer. */
export const mayStillArrive = (
  { arrivals }: Pick<Context, 'arrivals'>,
  { seq, attempts }: Pick<PriceChange, 'seq' | 'attempts'>,
  hasCallEnded = false,
): boolean => arrivals.remainingMs({ kind: 'price_change', subject: seq, attempt: attempts }, hasCallEnded) > 0

/** The machine is asked for the first time after `firstMs`. */
export const watchChange = (
  { clock, config }: Pick<Context, 'clock' | 'config'>,
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
