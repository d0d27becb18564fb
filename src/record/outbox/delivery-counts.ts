/** How many messages this process delivered, by channel and outcome; for the metrics. */

declare module '../../context.ts' {
  interface Context {
    readonly deliveryCounts: DeliveryCounts
  }
}
export interface DeliveryCount {
  readonly channel: string
  readonly outcome: string
  readonly count: number
}

export class DeliveryCounts {
  readonly #counts = new Map<string, DeliveryCount>()

  add(channel: string, outcome: string): void {
    const key = `${channel} ${outcome}`
    const count = (this.#counts.get(key)?.count ?? 0) + 1
    this.#counts.set(key, { channel, outcome, count })
  }

  list(): readonly DeliveryCount[] {
    return [...this.#counts.values()]
  }
}
