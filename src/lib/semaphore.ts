/** How many calls an upstream gets at once. The rest wait in line, and the line has an end too. */
export interface Semaphore {
  /** A place, to be given back once; undefined when the line is full, the wait too long, or we are stopping. */
  acquire(patienceMs: number, signal?: AbortSignal): Promise<(() => void) | undefined>
  readonly taken: number
  readonly waiting: number
}

export function semaphore(limit: number, longestLine: number): Semaphore {
  let taken = 0
  const line = new Set<() => void>()

  const giveBack = () => {
    let given = false
    return () => {
      if (given) return
      given = true
      const [next] = line
      // The place passes on without becoming free, so nobody can slip in before the one who waited.
      if (next) next()
      else taken -= 1
    }
  }

  return {
    get taken() {
      return taken
    },
    get waiting() {
      return line.size
    },
    acquire(patienceMs, signal) {
      if (signal?.aborted) return Promise.resolve(undefined)
      if (taken < limit) {
        taken += 1
        return Promise.resolve(giveBack())
      }
      if (line.size >= longestLine) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = (place: (() => void) | undefined) => {
          line.delete(called)
          clearTimeout(timer)
          signal?.removeEventListener('abort', stop)
          resolve(place)
        }
        const called = () => leave(giveBack())
        const stop = () => leave(undefined)
        const timer = setTimeout(stop, patienceMs)
        signal?.addEventListener('abort', stop)
        line.add(called)
      })
    },
  }
}
