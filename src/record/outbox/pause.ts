/** What a failed try says about its receiver, and how long the whole channel waits. Pure. */
import type { ChannelPause } from './channel-records.ts'
import { isDue } from '../../kernel/due.ts'
import { type SendResult } from './message.ts'
import { LONGEST_WAIT_MS, retryDelayMs } from './retry.ts'

type Retry = Extract<SendResult, { readonly outcome: 'retry' }>

/** After this many failures of the server in a row the receiver counts as down; one alone may be about its message. */
const DOWN_AFTER = 3
const TOO_MANY = 429
const SERVER_FAILURE = 500

export const NO_PAUSE: ChannelPause = { failures: 0, pausedAt: 0, pausedUntil: 0, notBefore: 0 }

/** `receiver`: the next message would fail as well. `either`: the server failed, perhaps because of this message. */
export function faultOf({ fault, status, retryAfterMs }: Retry): 'message' | 'receiver' | 'either' {
  if (fault !== undefined) return fault
  if (status === undefined || status === TOO_MANY) return 'receiver'
  if (status < SERVER_FAILURE) return 'message'
  return retryAfterMs === undefined ? 'either' : 'receiver'
}

/** While it is not asked again, except by new messages. */
export const isDown = ({ pausedUntil }: Pick<ChannelPause, 'pausedUntil'>, now: number): boolean =>
  !isDue(pausedUntil, now, LONGEST_WAIT_MS)

export const isPaused = ({ pausedUntil, notBefore }: ChannelPause, now: number): boolean =>
  !isDue(pausedUntil, now, LONGEST_WAIT_MS) || !isDue(notBefore, now, LONGEST_WAIT_MS)

/** After a failure that was not about the message alone. A new message that is tried during a pause does not prolong it. */
export function pauseAfter(pause: ChannelPause, result: Retry, now: number, random: number): ChannelPause {
  const { retryAfterMs } = result
  const named = retryAfterMs === undefined ? 0 : now + retryDelayMs(1, random, retryAfterMs)
  // One that is too far ahead was set before the clock was set back.
  const notBefore = isDue(pause.notBefore, now, LONGEST_WAIT_MS) ? named : Math.max(pause.notBefore, named)
  if (isDown(pause, now)) return { ...pause, notBefore }
  const failures = pause.failures + 1
  const hasFailed = faultOf(result) === 'receiver' || failures >= DOWN_AFTER
  return { failures, pausedAt: now, pausedUntil: hasFailed ? now + retryDelayMs(failures, random) : 0, notBefore }
}
