/** Prometheus metrics: requests by operation and status, and the state of the process. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { requestDurations } from './request-durations.ts'

interface LabelledValue {
  readonly labels: Record<string, string>
  readonly value: number
}

export function metrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'vendops_' })
  const durations = requestDurations()
  return {
    observe: durations.observe,
    gauge: (name: string, help: string, read: () => number | Promise<number>) =>
      void new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      }),
    /** Values with labels, read when the metrics are. */
    values: (
      kind: 'counter' | 'gauge',
      name: string,
      help: string,
      labelNames: readonly string[],
      read: () => readonly LabelledValue[] | Promise<readonly LabelledValue[]>,
    ) => {
      const options = { name, help, labelNames, registers: [registry] }
      if (kind === 'counter')
        return void new Counter({
          ...options,
          async collect() {
            this.reset()
            for (const { labels, value } of await read()) this.inc(labels, value)
          },
        })
      return void new Gauge({
        ...options,
        async collect() {
          this.reset()
          for (const { labels, value } of await read()) this.set(labels, value)
        },
      })
    },
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${durations.text()}`,
  }
}

export type Metrics = ReturnType<typeof metrics>
