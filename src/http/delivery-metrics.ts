/** Metrics of the outbox: what was delivered, what waits, and since when. */
import type { Context } from '../context.ts'
import { listChannelStates, ORDER_CHANNEL } from '../record/outbox/index.ts'
import { NOTIFY_CHANNEL } from '../views/notifications/index.ts'
import { SECOND } from '../kernel/clock.ts'
import type { Metrics } from './metrics.ts'

/** The prefix of a channel, the start of its metrics, and what they call the channel. */
const FAMILIES = [
  [ORDER_CHANNEL, 'vendops_webhook', 'target'],
  [NOTIFY_CHANNEL, 'vendops_notification', 'channel'],
] as const

export function mountDeliveryMetrics(
  metrics: Metrics,
  { store, clock, deliveryCounts }: Pick<Context, 'store' | 'clock' | 'deliveryCounts'>,
): void {
  for (const [prefix, name, label] of FAMILIES) {
    metrics.values(
      'counter',
      `${name}_deliveries_total`,
      'Messages sent by this process, by outcome.',
      [label, 'outcome'],
      () =>
        deliveryCounts
          .list()
          .filter(({ channel }) => channel.startsWith(prefix))
          .map(({ channel, outcome, count }) => ({
            labels: { [label]: channel.slice(prefix.length), outcome },
            value: count,
          })),
    )
    // A database that does not answer leaves these out, and the other metrics are still reported.
    const states = () => listChannelStates(store.db, prefix).catch(() => [])
    metrics.values('gauge', `${name}_waiting`, 'Messages that wait for delivery.', [label], async () =>
      (await states()).map(({ channel, waiting }) => ({
        labels: { [label]: channel.slice(prefix.length) },
        value: waiting,
      })),
    )
    metrics.values('gauge', `${name}_oldest_waiting_seconds`, 'Age of the oldest waiting message.', [label], async () =>
      (await states()).map(({ channel, oldestAt }) => ({
        labels: { [label]: channel.slice(prefix.length) },
        value: oldestAt === undefined ? 0 : Math.max(0, (clock.now() - oldestAt) / SECOND),
      })),
    )
  }
}
