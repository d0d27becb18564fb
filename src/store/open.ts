/** Opens the database that a URL names and brings its schema up to date. */
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from './migrate.ts'
import type { PostgresOptions } from './postgres/open-postgres.ts'
import type { Store } from './store.ts'
import { StoreUnavailable, StoreUnusable } from './unavailable.ts'

/** The database may be starting at the same time as the service. */
export interface StartupWait {
  /** For the whole start, from when this was made. */
  readonly waitMs: number
  /** In monotonic time. */
  readonly deadline: number
  /** Called before each pause, with the reason. */
  readonly onWait: (reason: string) => void
}

interface OpenOptions extends PostgresOptions {
  readonly wait?: StartupWait
  /** A SQLite database in memory starts as a copy of this one: tests migrate once. */
  readonly copyOf?: Uint8Array
}

const RETRY_MS = 1000

export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  const { wait, copyOf } = options
  const store = url.startsWith('sqlite:')
    ? (await import('./sqlite/open-sqlite.ts')).openSqlite(url.slice('sqlite:'.length), copyOf)
    : await (await import('./postgres/open-postgres.ts')).openPostgres(url, options)
  try {
    await whenAvailable(store, wait, () => migrate(store))
  } catch (failure) {
    await store.close()
    throw failure
  }
  return store
}

/** Repeats a step of the start, which must be repeatable, until the database answers or the time for the start is over. */
export async function whenAvailable<T>(
  { kind }: Pick<Store, 'kind'>,
  wait: StartupWait | undefined,
  step: () => Promise<T>,
): Promise<T> {
  while (true) {
    try {
      return await step()
    } catch (failure) {
      if (!wait || !(failure instanceof StoreUnavailable)) throw failure
      // Waiting helps only with a server.
      if (kind === 'sqlite') throw new StoreUnusable(failure.message, { cause: failure })
      if (performance.now() > wait.deadline) {
        const text = `The database did not answer within ${Math.round(wait.waitMs / 1000)} s: ${failure.message}.`
        throw new StoreUnusable(text, { cause: failure })
      }
      wait.onWait(failure.message)
      await sleep(RETRY_MS)
    }
  }
}
