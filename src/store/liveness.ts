/**
 * Whether the holder of a row still lives. A holder changes its row at short intervals; whoever waits watches the row, and
 * takes the holder for dead once the row stayed the same for `heldMs` of the watcher's own monotonic time. No wall clock is
 * compared with another: clocks are set, and those of several hosts differ.
 */
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/bounded-map.ts'

/** Beyond this many the oldest goes: it is watched anew, which only makes it later. */
const WATCHED_MAX = 10_000

interface Watched {
  readonly sign: string
  readonly since: number
  lookedAt: number
}

export interface LivenessWatch {
  /** `sign` is what the holder changes. The first look at a sign begins its watch. */
  hasLapsed(name: string, sign: string): boolean
  forget(name: string): void
}

export function livenessWatch(clock: Pick<Clock, 'elapsed'>, heldMs: number): LivenessWatch {
  const watched = new BoundedMap<string, Watched>(WATCHED_MAX)
  return {
    hasLapsed(name, sign) {
      const now = clock.elapsed()
      const known = watched.get(name)
      // A gap between looks proves nothing: this process was held up, or the database was away, perhaps for the holder too.
      if (known?.sign === sign && now >= known.lookedAt && now - known.lookedAt <= heldMs / 2) {
        known.lookedAt = now
        return now - known.since >= heldMs
      }
      watched.set(name, { sign, since: now, lookedAt: now })
      return false
    },
    forget: (name) => void watched.delete(name),
  }
}
