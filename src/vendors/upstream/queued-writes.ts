/**
 * Writes that wait for their turn at an upstream. Their permits are asked again while they wait, so that an emergency
 * stop calls them off at once and not only when a slow upstream has a place for them.
 */
import type { SendDenial, SendPermit } from '../contract.ts'

const REVIEW_MS = 200

interface QueuedWrite {
  readonly permit: SendPermit
  readonly calledOff: AbortController
}

export interface QueuedWrites {
  /** The signal aborts, with the denial as its reason, once the write may no longer be sent. `leave` ends the wait. */
  enter(permit: SendPermit): { readonly signal: AbortSignal; leave(): void }
}

export function queuedWrites(everyMs = REVIEW_MS): QueuedWrites {
  const queued = new Set<QueuedWrite>()
  let timer: NodeJS.Timeout | undefined

  const schedule = () => {
    if (queued.size > 0) timer ??= setTimeout(() => void review(), everyMs).unref()
  }

  async function review(): Promise<void> {
    for (const { permit, calledOff } of queued) {
      const denial = await denialOf(permit)
      // All permits depend on the same guard: while one is granted the others need not be asked.
      if (!denial) break
      calledOff.abort(denial)
    }
    timer = undefined
    schedule()
  }

  return {
    enter(permit) {
      const write = { permit, calledOff: new AbortController() }
      queued.add(write)
      schedule()
      return { signal: write.calledOff.signal, leave: () => void queued.delete(write) }
    },
  }
}

/** A permit that cannot answer now is asked again before the first byte. */
const denialOf = (permit: SendPermit): Promise<SendDenial | undefined> => permit(() => {}).catch(() => undefined)
