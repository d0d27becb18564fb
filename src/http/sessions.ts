/**
 * Sessions of the console. Signing in hands out a random value; the database keeps only its HMAC under the operator
 * token, so a copy of the database opens nothing, all instances accept the value, and a new token ends every session.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { HOUR } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/store.ts'

export const SESSION_MS = 12 * HOUR
/** Above this the oldest end: signing in must not fill the database either. */
const SESSIONS_MAX = 1000
const VALUE = /^cs_[\w-]{43}$/
const CHANNEL = 'vendops_sessions'

export interface Sessions {
  /** Opens one and returns the value of its cookie. */
  open(): Promise<string>
  /** The session of a cookie's value, under which its sockets are known; undefined when there is none. */
  find(value: string): Promise<string | undefined>
  end(value: string): Promise<void>
  /** Of these sessions, those that still exist. */
  filterOpen(sessions: readonly string[]): Promise<ReadonlySet<string>>
  /** Calls back when a session ended, on any instance. */
  onEnd(hear: () => void): () => void
}

/** Tells a session's value from the operator token, which the cookie may carry as well (5.1). */
export const isSessionValue = (value: string): boolean => VALUE.test(value)

export function sessions(store: Store, clock: Clock, token: string): Sessions {
  const hashOf = (value: string) => createHmac('sha256', token).update(value).digest('base64url')

  async function stillOpen(hashes: readonly string[]): Promise<ReadonlySet<string>> {
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
      return (await stillOpen([hash])).has(hash) ? hash : undefined
    },
    async end(value) {
      await store.db.deleteFrom('console_session').where('hash', '=', hashOf(value)).execute()
      store.notify(CHANNEL)
    },
    filterOpen: async (hashes) => (hashes.length === 0 ? new Set<string>() : stillOpen(hashes)),
    onEnd: (hear) => store.listen(CHANNEL, hear),
  }
}
