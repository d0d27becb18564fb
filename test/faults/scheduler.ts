/**
 * Decides who goes on. Every task stops at a gate wherever it awaits the database, the supplier or time, and goes on
 * only when the schedule says so: one seed is one order of events. Time passes only here, and never jumps; the clocks
 * that processes read can.
 */
import { chance, pick } from './random.ts'
import type { Random } from './random.ts'

/** The process is gone; nothing of it runs any more. */
export class Crashed extends Error {}
/** What a database says that cannot take the work now, or whose answer to a commit was lost. */
export class Busy extends Error {}

export interface Process {
  alive: boolean
}

export interface Task {
  readonly name: string
  readonly process: Process
  gate(what: string): Promise<void>
  sleep(ms: number): Promise<void>
}

interface Parked {
  readonly task: Task
  readonly what: string
  readonly wakeAt: number
  readonly go: () => void
  readonly fail: (error: Error) => void
}

export interface Scheduler {
  /** Milliseconds since the schedule began. */
  readonly time: () => number
  advance(ms: number): void
  /** Called whenever time has passed. */
  onTime(hear: () => void): void
  spawn(name: string, process: Process, work: (task: Task) => Promise<void>): void
  crash(process: Process): void
  /** Until nobody is left; `meanwhile` may do something before each step. */
  run(meanwhile: () => void): Promise<void>
  readonly trace: string[]
}

/** `together`: how likely everyone who can goes on at once, where the database has real races of its own. */
export function scheduler(random: Random, together = 0): Scheduler {
  let now = 0
  let running = 0
  let settled: (() => void) | undefined
  const parked = new Set<Parked>()
  const starts: (() => void)[] = []
  const ears: (() => void)[] = []
  const trace: string[] = []

  const left = () => {
    running--
    if (running === 0) settled?.()
  }
  const calm = () => (running === 0 ? Promise.resolve() : new Promise<void>((resolve) => (settled = resolve)))

  function park(task: Task, what: string, wakeAt: number): Promise<void> {
    if (!task.process.alive) return Promise.reject(new Crashed())
    return new Promise((resolve, reject) => {
      const entry: Parked = {
        task,
        what,
        wakeAt,
        go: () => {
          parked.delete(entry)
          running++
          resolve()
        },
        fail: (error) => {
          parked.delete(entry)
          running++
          reject(error)
        },
      }
      parked.add(entry)
      left()
    })
  }

  function advance(ms: number): void {
    now += Math.ceil(ms)
    for (const hear of ears) hear()
  }

  return {
    time: () => now,
    advance,
    trace,
    onTime: (hear) => void ears.push(hear),
    spawn(name, process, work) {
      starts.push(() => {
        const task: Task = {
          name,
          process,
          gate: (what) => park(task, what, now),
          sleep: (ms) => park(task, 'sleep', now + Math.ceil(ms)),
        }
        running++
        work(task)
          .catch((error: unknown) => {
            if (!(error instanceof Crashed) && !(error instanceof Busy)) trace.push(`${name} threw ${String(error)}`)
          })
          .finally(left)
      })
    },
    crash(process) {
      process.alive = false
      for (const entry of parked) if (entry.task.process === process) entry.fail(new Crashed())
    },
    async run(meanwhile) {
      while (true) {
        await calm()
        meanwhile()
        await calm()
        const able = [...parked].filter(({ wakeAt }) => wakeAt <= now)
        if (able.length === 0 && starts.length === 0) {
          if (parked.size === 0) return
          advance(Math.min(...[...parked].map(({ wakeAt }) => wakeAt)) - now)
          continue
        }
        if (starts.length > 0 && (able.length === 0 || chance(random, 0.3))) {
          starts.shift()?.()
          continue
        }
        const chosen = together > 0 && chance(random, together) ? able : [pick(random, able)]
        for (const entry of chosen) {
          trace.push(`${now} ${entry.task.name} ${entry.what}`)
          entry.go()
        }
      }
    },
  }
}
