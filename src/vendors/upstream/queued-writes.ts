/**
 * Writes that wait for a free connection to an upstream. Their permits are checked while they wait, so that an emergency
 * stop cancels them at once and not only when a slow upstream becomes free.
 */
import type { SendDenial, SendPermit } from '../contract.ts'

const CHECK_MS = 200

export function queuedWrites() {
  const queued = new Set<{ readonly permit: SendPermit; readonly controller: AbortController }>()
  let timer: NodeJS.Timeout | undefined

  const schedule = () => {
    if (queued.size > 0) timer ??= setTimeout(() => void checkAll(), CHECK_MS).unref()
  }

  async function checkAll(): Promise<void> {
    for (const { permit, controller } of queued) {
      const denial = await denialOf(permit)
      // All permits depend on the same guard: if one is granted, the others need no check.
      if (!denial) break
      controller.abort(denial)
    }
    timer = undefined
    schedule()
  }

  return {
    /** The signal aborts, with the denial as its reason, once the write may no longer be sent. `leave` ends the wait. */
    enter(permit: SendPermit) {
      const write = { permit, controller: new AbortController() }
      queued.add(write)
      schedule()
      return { signal: write.controller.signal, leave: () => void queued.delete(write) }
    },
  }
}

/** A permit that fails here is asked again before the first byte. */
const denialOf = (permit: SendPermit): Promise<SendDenial | undefined> => permit(() => {}).catch(() => undefined)
