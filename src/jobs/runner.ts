/**
 * Runs each job when it is due, on one instance at a time, and continues when a job fails. Periods are measured with the
 * process's monotonic clock: wall clocks can be set, and those of several hosts differ (docs/adr/0022).
 */
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'
import { type LeaseState, leaseMonitor, tryLease } from '../store/lease.ts'
import { StoreUnavailable } from '../store/unavailable.ts'

export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Must be idempotent: after a crash between the work and its record it runs again. */
  readonly run: () => Promise<void>
}

export interface JobLog {
  readonly onFailure: (job: string, failure: unknown) => void
}

const POLL_MS = 1000

/** The last run this process knows of, its own or another instance's, and when the next one is due. */
interface LastRun {
  readonly fence: number
  readonly dueAt: number
}

export function jobRunner(needs: { readonly store: Store; readonly clock: Clock }, jobs: readonly Job[], log: JobLog) {
  const { clock } = needs
  const monitor = leaseMonitor(clock)
  const lastRuns = new Map<string, LastRun>()
  const running = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let isDatabaseUnavailable = false

  /**
   * The stored time counts only for the first poll of a process, and delays a job by one period at most: it may have been
   * written before the clock was set. Later runs are noticed when they begin, and the period is measured from there.
   */
  function isDue({ name, everyMs }: Job, { fence, nextAt, holder }: LeaseState): boolean {
    // A run whose process died is repeated at once.
    if (holder === 'dead') return true
    const now = clock.elapsed()
    let last = lastRuns.get(name)
    if (last?.fence !== fence) {
      const isFirstPoll = last === undefined && holder === 'nobody'
      const wait = isFirstPoll ? Math.min(Math.max(nextAt - clock.now(), 0), everyMs) : everyMs
      last = { fence, dueAt: now + wait }
      lastRuns.set(name, last)
    }
    return now >= last.dueAt
  }

  async function runIfDue(job: Job): Promise<void> {
    const lease = await tryLease(needs, job.name, monitor, (state) => isDue(job, state))
    isDatabaseUnavailable = false
    if (!lease) return
    lastRuns.set(job.name, { fence: lease.fence, dueAt: clock.elapsed() + job.everyMs })
    const startedAt = clock.now()
    try {
      await job.run()
    } catch (failure) {
      logFailure(job, failure)
    } finally {
      await lease.release(startedAt + job.everyMs)
    }
  }

  /** While the database is unavailable every poll of every job fails, so that is logged once. */
  function logFailure({ name }: Job, failure: unknown): void {
    const isUnavailable = failure instanceof StoreUnavailable
    if (!isUnavailable || !isDatabaseUnavailable) log.onFailure(name, failure)
    if (isUnavailable) isDatabaseUnavailable = true
  }

  /** Runs all jobs that are due. */
  async function tick(): Promise<void> {
    for (const job of jobs) {
      if (running.has(job.name)) continue
      const work = runIfDue(job)
        .catch((failure: unknown) => logFailure(job, failure))
        .finally(() => running.delete(job.name))
      running.set(job.name, work)
    }
    await Promise.all(running.values())
  }

  const poll = () => {
    if (stopped) return
    timer = setTimeout(poll, POLL_MS)
    timer.unref()
    void tick()
  }

  return {
    tick,
    start: poll,
    /** Starts no more jobs and waits for the running ones. */
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}

export type JobRunner = ReturnType<typeof jobRunner>
