/** Runs each job when it is due, once over all instances, and keeps going when one fails. */
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/db.ts'
import { tryLease } from '../store/lease.ts'

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

export function jobRunner(needs: { readonly store: Store; readonly clock: Clock }, jobs: readonly Job[], log: JobLog) {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const running = new Map<string, Promise<void>>()

  async function runIfDue(job: Job): Promise<void> {
    const lease = await tryLease(needs, job.name, true)
    if (!lease) return
    const startedAt = needs.clock.now()
    try {
      await job.run()
    } catch (failure) {
      log.failed(job.name, failure)
    } finally {
      await lease.release(startedAt + job.everyMs)
    }
  }

  /** Starts what is due and waits for it. */
  async function tick(): Promise<void> {
    for (const job of jobs) {
      if (running.has(job.name)) continue
      const work = runIfDue(job)
        .catch((failure: unknown) => log.failed(job.name, failure))
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
