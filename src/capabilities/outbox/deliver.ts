/**
 * Delivers the messages of one channel, at least once: a message is marked after it was sent, so a process that ends in
 * between sends it again under the same id. Runs as a leased job, one per channel, so that a slow receiver holds up nobody
 * else.
 */
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import { semaphore } from '../../lib/semaphore.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/index.ts'
import type { ServiceEvent } from '../events/index.ts'
import { GIVE_UP_MS, isReceiverDown, retryDelayMs } from './message.ts'
import type { Batch, OutboxMessage, SendResult } from './message.ts'
import {
  endMessage,
  mostAttempts,
  postponeChannel,
  postponeMessage,
  resumeChannel,
  waitingMessages,
} from './records.ts'

export interface Channel {
  readonly name: string
  /** What to send now, in this order. Pure. */
  readonly batches: (waiting: readonly OutboxMessage[], now: number) => readonly Batch[]
  readonly send: (batch: Batch) => Promise<SendResult>
  readonly deadEvent: (message: OutboxMessage, error: string) => ServiceEvent
}

const POLL_MS = SECOND
/** After this long a round starts no further message. */
const ROUND_MS = 20 * SECOND
const AT_ONCE = 4
const QUEUE_MAX = 10_000

type Needs = Pick<Context, 'store' | 'clock' | 'log' | 'onCheckpoint' | 'deliveryCounts'>

/** At most four messages are on their way at once, over all channels of the process. */
export function deliveryJobs(ctx: Needs, channels: readonly Channel[]): readonly Job[] {
  const slots = semaphore(AT_ONCE, QUEUE_MAX)
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
  const waiting = await waitingMessages(store.db, channel.name, clock.now())
  for (const batch of channel.batches(waiting, clock.now())) {
    if (clock.elapsed() >= endsAt) return
    ctx.onCheckpoint?.('message_due')
    const result = await channel.send(batch)
    ctx.onCheckpoint?.('message_sent')
    await recordResult(ctx, channel, batch, result)
    if (result.outcome === 'retry' && isReceiverDown(result.status)) return
  }
}

async function recordResult(ctx: Needs, channel: Channel, batch: Batch, result: SendResult): Promise<void> {
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
  await store.transaction(async (tx) => {
    if (result.outcome === 'retry' && !isLate) {
      const { status, error, retryAfterMs } = result
      // A new message finds out whether the receiver is back. It is not: then it waits as long as those before it.
      const earlier = isReceiverDown(status) ? await mostAttempts(tx, channel.name) : 0
      const attempts = Math.max(message.attempts + 1, earlier)
      const dueAt = now + retryDelayMs(attempts, Math.random(), retryAfterMs)
      await postponeMessage(tx, message.seq, { dueAt, status, error })
      if (isReceiverDown(status)) await postponeChannel(tx, channel.name, dueAt)
      return
    }
    const state = outcome === 'delivered' || outcome === 'dead' ? outcome : 'superseded'
    const { status, error } = result as { readonly status?: number; readonly error?: string }
    const hasEnded = await endMessage(tx, message.seq, { state, at: now, status, error })
    if (state === 'delivered') {
      for (const { seq } of replaces) await endMessage(tx, seq, { state: 'superseded', at: now })
      await resumeChannel(tx, channel.name, now)
    }
    if (state === 'dead' && hasEnded) await recordEvent(ctx, tx, channel.deadEvent(message, error ?? ''))
  })
}
