/** Messages to a receiver that is no longer configured: nobody delivers them, so they end after the time of giving up. */
import type { Job } from '../../jobs/runner.ts'
import { HOUR } from '../../kernel/clock.ts'
import type { WriteContext } from '../../context.ts'
import { recordEvent } from '../events/index.ts'
import { GIVE_UP_MS } from './retry.ts'
import { listChannelStates, endWaiting } from './records.ts'

const REMOVED = 'the receiver is no longer configured'

export const endRemovedJob = (
  ctx: WriteContext,
  { name, prefix, channels }: { readonly name: string; readonly prefix: string; readonly channels: readonly string[] },
): Job => ({
  name,
  everyMs: HOUR,
  run: async () => {
    const { store, clock } = ctx
    const now = clock.now()
    for (const { channel, oldestAt = now } of await listChannelStates(store.db, prefix)) {
      if (channels.includes(channel) || now - oldestAt < GIVE_UP_MS) continue
      const receiver = channel.slice(prefix.length)
      await store.transaction(async (tx) => {
        const count = await endWaiting(tx, channel, { before: now - GIVE_UP_MS, now, error: REMOVED })
        // One event for all of them: there may be thousands.
        if (count > 0)
          await recordEvent(ctx, tx, {
            kind: 'webhook',
            code: 'messages_given_up',
            params: { receiver, count },
            summary: `${count} messages to ${receiver} were given up`,
            reasoning: `They waited for 5 days, and ${REMOVED}.`,
          })
      })
    }
  },
})
