/**
 * Delivers the messages of one channel, at least once: a message is marked after it was sent, so a process that ends in
 * between sends it again under the same id. Runs as a leased job, one per channel, so that a slow receiver holds up nobody
 * else. A message that its receiver cannot take waits alone; a receiver that is down makes its whole channel wait.
 */
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import { semaphore } from '../../lib/concurrency.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import type { Context } from '../../context.ts'
import { type OwnEvent, recordEvent } from '../events/index.ts'
import { type ChannelPause, endPause, readPause, savePause } from './channel-records.ts'
import { isDue } from '../../kernel/due.ts'
import { type Batch, type SendResult } from './message.ts'
import { GIVE_UP_MS, LONGEST_WAIT_MS, retryDelayMs } from './retry.ts'
import { faultOf, isDown, isPaused, NO_PAUSE, pauseAfter } from './pause.ts'
import { type OutboxMessage, endMessage, postponeMessages, listWaitingMessages } from './records.ts'

export interface Channel {
  readonly name: string
  /** The kinds that may be sent at this time; without it, all. */
  readonly kindsAt?: (now: number) => readonly string[] | undefined
  /** What to send now, in this order. Pure. */
  readonly batches: (waiting: readonly OutboxMessage[], now: number) => readonly Batch[]
  readonly send: (batch: Batch) => Promise<SendResult>
  readonly deadEvent: (message: OutboxMessage, error: string) => OwnEvent
}

const POLL_MS = SECOND
/** After this long a round starts no further message. */
const ROUND_MS = 20 * SECOND
const CONCURRENT_MAX = 4
const QUEUE_MAX = 10_000

type Needs = Pick<Context, 'store' | 'clock' | 'log' | 'onCheckpoint' | 'deliveryCounts'>

/** At most four messages are on their way at once, over all channels of the process. */
export function deliveryJobs(ctx: Needs, channels: readonly Channel[]): readonly Job[] {
  const slots = semaphore(CONCURRENT_MAX, QUEUE_MAX)
  return channels.map((channel) => ({
    name: `outbox ${channel.name}`,
    everyMs: POLL_MS,
    run: async () => {
      const release = await slots.acquire(ROUND_MS)
      if (!release) return
      try {
        await deliverChannel(ctx, channel)
      } finally {
        release()
      }
    },
  }))
}

async function deliverChannel(ctx: Needs, channel: Channel): Promise<void> {
  const { store, clock } = ctx
  const endsAt = clock.elapsed() + ROUND_MS
  let pause = (await readPause(store.db, channel.name)) ?? NO_PAUSE
  const now = clock.now()
  if (!isDue(pause.notBefore, now, LONGEST_WAIT_MS)) return
  const waiting = await listWaitingMessages(store.db, channel.name, now, {
    kinds: channel.kindsAt?.(now),
    // A new message finds out whether the receiver is back.
    untriedSince: isDown(pause, now) ? pause.pausedAt : undefined,
  })
  for (const batch of channel.batches(waiting, now)) {
    if (clock.elapsed() >= endsAt) return
    ctx.onCheckpoint?.('message_due')
    const result = await trySend(ctx, channel, batch)
    ctx.onCheckpoint?.('message_sent')
    pause = await recordResult(ctx, channel, batch, result, pause)
    if (result.outcome === 'retry' && isPaused(pause, clock.now())) return
  }
}

/** An exception is a fault of ours. It must not stop the messages behind this one. */
async function trySend({ log }: Needs, channel: Channel, batch: Batch): Promise<SendResult> {
  try {
    return await channel.send(batch)
  } catch (failure) {
    if (failure instanceof StoreUnavailable) throw failure
    const { name, code } = failure as { readonly name?: string; readonly code?: string }
    // Without its text, which may hold an address with a secret.
    log.error({ channel: channel.name, message: batch.message.id, failure: name, code }, 'sending a message failed')
    return { outcome: 'retry', error: `internal error (${code ?? name ?? 'unknown'})`, fault: 'message' }
  }
}

/** Returns the pause of the channel after it. */
async function recordResult(
  ctx: Needs,
  channel: Channel,
  batch: Batch,
  result: SendResult,
  pause: ChannelPause,
): Promise<ChannelPause> {
  const { store, clock, log, deliveryCounts } = ctx
  const { message, replaces } = batch
  const now = clock.now()
  const isLate = now - message.since >= GIVE_UP_MS
  const outcome = result.outcome === 'retry' && isLate ? 'dead' : result.outcome
  deliveryCounts.add(channel.name, outcome)
  if (result.outcome === 'retry' || result.outcome === 'dead')
    log.warn(
      { channel: channel.name, message: message.id, status: result.status, error: result.error, outcome },
      'a message was not delivered',
    )
  const random = Math.random()
  const isDelivered = result.outcome === 'delivered'
  const isReceiver = result.outcome === 'retry' && faultOf(result) !== 'message'
  const next = isDelivered ? NO_PAUSE : isReceiver ? pauseAfter(pause, result, now, random) : pause
  await store.transaction(async (tx) => {
    if (isDelivered && pause.failures > 0) await endPause(tx, channel.name, pause, now)
    if (isReceiver) await savePause(tx, channel.name, next)
    if (result.outcome === 'retry' && !isLate) {
      const { status, error, retryAfterMs } = result
      const dueAt = now + retryDelayMs(message.attempts + 1, random, retryAfterMs)
      const seqs = [message, ...replaces].map(({ seq }) => seq)
      await postponeMessages(tx, seqs, { dueAt, status, error })
      return
    }
    const state = outcome === 'delivered' || outcome === 'dead' ? outcome : 'superseded'
    const { status, error } = result as { readonly status?: number; readonly error?: string }
    const hasEnded = await endMessage(tx, message.seq, { state, at: now, status, error })
    if (state === 'delivered')
      for (const { seq } of replaces) await endMessage(tx, seq, { state: 'superseded', at: now })
    if (state === 'dead' && hasEnded) await recordEvent(ctx, tx, channel.deadEvent(message, error ?? ''))
  })
  return next
}
