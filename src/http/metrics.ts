/** Prometheus metrics: requests by operation and status, and the state of the process. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

interface LabelledValue {
  readonly labels: Record<string, string>
  readonly value: number
}

type Transport = 'rest' | 'mcp'

export function metrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'vendops_' })
  const duration = new Histogram({
    name: 'vendops_http_request_duration_seconds',
    help: 'Time to answer a request, by operation, status class and transport.',
    labelNames: ['operation', 'method', 'status', 'transport'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  // One cached observer per combination: looking up the labels costs more than observing.
  type ByOperation = Map<string, Map<string, { observe(value: number): void }[]>>
  const observers: Readonly<Record<Transport, ByOperation>> = { rest: new Map(), mcp: new Map() }
  return {
    observe(transport: Transport, operation: string, method: string, status: number, ms: number): void {
      const statusClass = Math.floor(status / 100)
      let byMethod = observers[transport].get(operation)
      if (!byMethod) observers[transport].set(operation, (byMethod = new Map()))
      let byClass = byMethod.get(method)
      if (!byClass) byMethod.set(method, (byClass = []))
      const observer = (byClass[statusClass] ??= duration.labels(operation, method, `${statusClass}xx`, transport))
      observer.observe(ms / 1000)
    },
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
    text: () => registry.metrics(),
  }
}

export type Metrics = ReturnType<typeof metrics>
