/** The reads of ledgers in this process: those under way, and those just done. Losing them costs a request, never a result. */
import { SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import type { Failure } from '../../vendors/contract.ts'

declare module '../../context.ts' {
  interface Context {
    readonly ledgerReads: LedgerReads
  }
}

/** A sale read this recently needs no further request. */
const FRESH_MS = 15 * SECOND

export interface TimeRange {
  readonly from: number
  readonly to: number
}

interface RecentRead extends TimeRange {
  readonly at: number
}

const isFresh = (at: number, now: number): boolean => now >= at && now - at < FRESH_MS

export class LedgerReads {
  /** One read of a namespace at a time. */
  readonly running = new SingleFlight<Namespace, Failure | undefined>()
  readonly #recent = new Map<Namespace, RecentRead[]>()

  remember(namespace: Namespace, read: RecentRead): void {
    const recent = (this.#recent.get(namespace) ?? []).filter(({ at }) => isFresh(at, read.at))
    this.#recent.set(namespace, [...recent, read])
  }

  /** Whether all sales of the range were read in the last 15 seconds. */
  hasRead(namespace: Namespace, { from, to }: TimeRange, now: number): boolean {
    return (this.#recent.get(namespace) ?? []).some(
      (read) => isFresh(read.at, now) && read.from <= from && to <= read.to,
    )
  }
}
