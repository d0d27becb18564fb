/**
 * Runs each job when it is due, once over all instances, and keeps going when one fails. Periods are measured by the
 * process's monotonic clock: the wall clock may be set while it runs, and those of several hosts differ (docs/adr/0022).
 */
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'
import { leaseWatch, tryLease } from '../store/lease.ts'
import type { LeaseState } from '../store/lease.ts'
import { StoreUnavailable } from '../store/unavailable.ts'

export interface Job {
  readonly name: string
  readonly everyMs: number
  /** Idempotent: a crash after the work and before the note may run it again. */
  readonly run: () => Promise<void>
}

export interface JobLog {
  readonly failed: (job: string, failure: unknown) => void
}

const LOOK_EVERY_MS = 1000

/** The last run this process knows of, its own or another instance's, and when the next one is due. */
interface LastRun {
  readonly fence: number
  readonly dueAt: number
}

export function jobRunner(needs: { readonly store: Store; readonly clock: Clock }, jobs: readonly Job[], log: JobLog) {
  const { clock } = needs
  const watch = leaseWatch(clock)
  const lastRuns = new Map<string, LastRun>()
  const running = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let isDatabaseAway = false

  /**
   * The stored instant counts only for the first look of a process, and for one period at most: it may have been written
   * before the clock was set. Later runs are noticed as they begin, and the period is measured from there.
   */
  function isDue({ name, everyMs }: Job, { fence, nextAt, holder }: LeaseState): boolean {
    // A run that its process did not survive is made up for at once.
    if (holder === 'dead') return true
    const now = clock.elapsed()
    let last = lastRuns.get(name)
    if (last?.fence !== fence) {
      const isFirstLook = last === undefined && holder === 'nobody'
      const wait = isFirstLook ? Math.min(Math.max(nextAt - clock.now(), 0), everyMs) : everyMs
      last = { fence, dueAt: now + wait }
      lastRuns.set(name, last)
    }
    return now >= last.dueAt
  }

  async function runIfDue(job: Job): Promise<void> {
    const lease = await tryLease(needs, job.name, watch, (state) => isDue(job, state))
    isDatabaseAway = false
    if (!lease) return
    lastRuns.set(job.name, { fence: lease.fence, dueAt: clock.elapsed() + job.everyMs })
    const startedAt = clock.now()
    try {
      await job.run()
    } catch (failure) {
      tellFailure(job, failure)
    } finally {
      await lease.release(startedAt + job.everyMs)
    }
  }

  /** While the database is away every look of every job fails: that is told once. */
  function tellFailure({ name }: Job, failure: unknown): void {
    const isAway = failure instanceof StoreUnavailable
    if (!isAway || !isDatabaseAway) log.failed(name, failure)
    if (isAway) isDatabaseAway = true
  }

  /** Starts what is due and waits for it. */
  async function tick(): Promise<void> {
    for (const job of jobs) {
      if (running.has(job.name)) continue
      const work = runIfDue(job)
        .catch((failure: unknown) => tellFailure(job, failure))
        .finally(() => running.delete(job.name))
      running.set(job.name, work)
    }
    await Promise.all(running.values())
  }

  const look = () => {
    if (stopped) return
    timer = setTimeout(look, LOOK_EVERY_MS)
    timer.unref()
    void tick()
  }

  return {
    tick,
    start: look,
    /** Takes up nothing new and waits for what runs. */
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}

export type JobRunner = ReturnType<typeof jobRunner>
