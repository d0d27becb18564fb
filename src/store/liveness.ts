/**
 * Whether the holder of a row is still alive. A holder changes its row at short intervals (its heartbeat). A waiting process
 * takes the holder for dead once the heartbeat has not changed for `timeoutMs` of its own monotonic time. Wall clocks are
 * never compared: they can be set, and those of several hosts differ.
 */
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/caches.ts'

/** An evicted name starts again from zero, which only delays the take-over. */
const MONITORED_MAX = 10_000

interface Heartbeat {
  readonly value: string
  readonly since: number
  checkedAt: number
}

export interface LivenessMonitor {
  /** True when `heartbeat` has been the same since long enough. The first check of a value starts its time. */
  hasLapsed(name: string, heartbeat: string): boolean
  forget(name: string): void
}

export function livenessMonitor(clock: Pick<Clock, 'elapsed'>, timeoutMs: number): LivenessMonitor {
  const heartbeats = new BoundedMap<string, Heartbeat>(MONITORED_MAX)
  return {
    hasLapsed(name, heartbeat) {
      const now = clock.elapsed()
      const known = heartbeats.get(name)
      // A long gap between two checks proves nothing: this process was suspended, or the database was unreachable,
      // perhaps for the holder too.
      if (known?.value === heartbeat && now >= known.checkedAt && now - known.checkedAt <= timeoutMs / 2) {
        known.checkedAt = now
        return now - known.since >= timeoutMs
      }
      heartbeats.set(name, { value: heartbeat, since: now, checkedAt: now })
      return false
    },
    forget: (name) => void heartbeats.delete(name),
  }
}
