/** Optimistic locking: work that lost a race for a row runs again from the start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../kernel/clock.ts'

/** Another caller changed the row first. Thrown inside a transaction, so that it is rolled back. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  /** `waitedMs`: how long the work waited for the other caller on purpose. That is no reason to give up. */
  readonly waitedMs: number
  constructor(waitedMs = 0) {
    super()
    this.waitedMs = waitedMs
  }
}

/** Each conflict means that another caller succeeded, so n callers need at most n tries. A time bounds them, not a count. */
const GIVE_UP_MS = 15 * SECOND
/** From this try on, wait for a random time, so that the same callers do not collide again. */
const PAUSE_FROM_TRY = 3
const PAUSE_MAX_MS = 20

/** The row changed for as long as we tried. Trying again later helps. */
export class ConflictsPersistError extends Error {
  override readonly name = 'ConflictsPersistError'
}

/** `work` must read everything it decides on, as it runs again after each ConflictError. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  let startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (failure) {
      if (!(failure instanceof ConflictError)) throw failure
      startedAt += failure.waitedMs
      if (performance.now() - startedAt > GIVE_UP_MS)
        throw new ConflictsPersistError(`Gave up after ${attempt} conflicting changes`, { cause: failure })
      if (attempt >= PAUSE_FROM_TRY) await sleep(Math.random() * PAUSE_MAX_MS)
    }
  }
}
