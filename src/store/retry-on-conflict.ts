import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../kernel/clock.ts'
import { StoreUnavailable } from './unavailable.ts'

/** Somebody else changed the session first: the transaction is rolled back and the verb looks at it anew. */
export class ConflictError extends Error {}

/** Whoever loses saw somebody win, so n callers need at most n looks: a time bounds them, not a count. */
const GIVE_UP_MS = 15 * SECOND
/** From this try on losers pause for a random time, so that they do not meet again. */
const PAUSE_FROM = 3
const PAUSE_MS = 20

/** Every look starts from the store. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (failure) {
      if (!(failure instanceof ConflictError)) throw failure
      if (performance.now() - began > GIVE_UP_MS)
        throw new StoreUnavailable('the session kept changing', { cause: failure })
      if (tried >= PAUSE_FROM) await sleep(Math.random() * PAUSE_MS)
    }
  }
}
