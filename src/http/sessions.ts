/**
 * Sessions of the console. Sign-in creates a random value; the database stores only its HMAC under the operator token. A
 * copy of the database therefore signs nobody in, all instances accept the value, and a new token ends every session.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { HOUR } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'

export const SESSION_MS = 12 * HOUR
/** Above this the oldest end, so that repeated sign-ins cannot fill the database. */
const SESSIONS_MAX = 1000
const VALUE = /^cs_[\w-]{43}$/
const CHANNEL = 'vendops_sessions'

export interface Sessions {
  /** Creates a session and returns the value of its cookie. */
  open(): Promise<string>
  /** The session (its hash) of a cookie value; undefined when there is none. */
  find(value: string): Promise<string | undefined>
  end(value: string): Promise<void>
  /** Those of the given sessions that still exist. */
  filterOpen(sessions: readonly string[]): Promise<ReadonlySet<string>>
  /** Calls back when a session ended, on any instance. Returns the function that stops it. */
  onEnd(listener: () => void): () => void
}

/** Distinguishes a session value from the operator token, which the cookie may also hold (5.1). */
export const isSessionValue = (value: string): boolean => VALUE.test(value)

export function sessions(store: Store, clock: Clock, token: string): Sessions {
  const hashOf = (value: string) => createHmac('sha256', token).update(value).digest('base64url')

  async function filterOpen(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await store.db
      .selectFrom('console_session')
      .select('hash')
      .where('hash', 'in', hashes)
      .where('expires_at', '>', clock.now())
      .execute()
    return new Set(rows.map(({ hash }) => hash))
  }

  return {
    async open() {
      const value = `cs_${randomBytes(32).toString('base64url')}`
      const now = clock.now()
      await store.transaction(async (tx) => {
        await tx.deleteFrom('console_session').where('expires_at', '<=', now).execute()
        const surplus = await tx
          .selectFrom('console_session')
          .select('hash')
          .orderBy('created_at', 'desc')
          .limit(SESSIONS_MAX)
          .offset(SESSIONS_MAX - 1)
          .execute()
        for (const { hash } of surplus) await tx.deleteFrom('console_session').where('hash', '=', hash).execute()
        const row = { hash: hashOf(value), created_at: now, expires_at: now + SESSION_MS }
        await tx.insertInto('console_session').values(row).execute()
      })
      return value
    },
    async find(value) {
      const hash = hashOf(value)
      return (await filterOpen([hash])).has(hash) ? hash : undefined
    },
    async end(value) {
      await store.db.deleteFrom('console_session').where('hash', '=', hashOf(value)).execute()
      store.notify(CHANNEL)
    },
    filterOpen: async (hashes) => (hashes.length === 0 ? new Set<string>() : filterOpen(hashes)),
    onEnd: (listener) => store.listen(CHANNEL, listener),
  }
}
