/** Reads the queues of machine platforms: one instance at a time, all queues at once. */
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'

/** A queue waits for messages by itself; this is the pause between two calls. */
const EVERY_MS = 5 * SECOND
/** After a failure, so that a queue that refuses us is not asked every second. */
const AFTER_FAILURE_MS = 60 * SECOND

type Deps = Pick<Context, 'vendors' | 'clock' | 'log'>

export function receiveMessagesJob({ vendors, clock, log }: Deps): Job {
  const failedAt = new Map<string, number>()
  return {
    name: 'receive-messages',
    everyMs: EVERY_MS,
    run: async () => {
      const live = vendors.registrations.filter(({ role, status }) => role === 'machine' && status === 'live')
      await Promise.all(
        live.map(async ({ namespace }) => {
          const platform = vendors.machine(namespace)
          if (!platform.ok || !platform.value.receiveMessages) return
          const last = failedAt.get(namespace)
          if (last !== undefined && clock.elapsed() - last < AFTER_FAILURE_MS) return
          const received = await platform.value.receiveMessages()
          if (received.ok) failedAt.delete(namespace)
          else failedAt.set(namespace, clock.elapsed())
          if (received.ok && received.value.messages > 0)
            log.info({ namespace, messages: received.value.messages }, 'messages of a queue were stored')
        }),
      )
    },
  }
}
