/** A counting semaphore with a bounded FIFO queue: limits how many calls run at once. */
export function semaphore(limit: number, queueMax: number) {
  let active = 0
  const queue = new Set<() => void>()

  const newPermit = () => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [next] = queue
      // Handed over without becoming free, so that no new caller gets ahead of the queue.
      if (next) next()
      else active -= 1
    }
  }

  return {
    get active() {
      return active
    },
    get waiting() {
      return queue.size
    },
    /**
     * Resolves to the function that releases the permit. Undefined when the queue is full, the wait takes longer than
     * `maxWaitMs`, or `signal` aborts.
     */
    acquire(maxWaitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
      if (signal?.aborted) return Promise.resolve(undefined)
      if (active < limit) {
        active += 1
        return Promise.resolve(newPermit())
      }
      if (queue.size >= queueMax) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = (permit: (() => void) | undefined) => {
          queue.delete(onPermit)
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          resolve(permit)
        }
        const onPermit = () => leave(newPermit())
        const giveUp = () => leave(undefined)
        const timer = setTimeout(giveUp, maxWaitMs)
        signal?.addEventListener('abort', giveUp)
        queue.add(onPermit)
      })
    },
  }
}
