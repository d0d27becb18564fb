/**
 * Sessions of the console. Sign-in creates a random value; the database stores only its HMAC under the operator token. A
 * copy of the database therefore signs nobody in, all instances accept the value, and a new token ends every session. A
 * session of a person is bound to the key it was created with: once the key is revoked, replaced or expired, the session ends.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { ActiveKey, KeyDirectory } from '../../rules/people/index.ts'
import { type Clock, DAY, HOUR } from '../../kernel/clock.ts'
import type { Store } from '../../store/store.ts'

/** Of the operator token, however much it is used. */
export const SESSION_MS = 12 * HOUR
/** Of a person, since it was last used. */
const PERSON_SESSION_MS = 30 * DAY
/** A session that is used is extended, at most once a day. */
const EXTEND_AFTER_MS = DAY
/** As long as browsers allow: whether a session still exists is decided here, not by the browser. */
export const PERSON_COOKIE_MS = 400 * DAY
/** Above this the oldest of the same holder end, so that repeated sign-ins neither fill the database nor sign others out. */
const TOKEN_SESSIONS_MAX = 1000
const KEY_SESSIONS_MAX = 50
const VALUE = /^cs_[\w-]{43}$/
const CHANNEL = 'vendops_sessions'

export interface Sessions {
  /** Creates a session and returns the value of its cookie. Without a key it belongs to the operator token. */
  open(keyHash?: string, passkey?: string): Promise<string>
  /** The session of a cookie value; undefined when there is none. */
  find(value: string): Promise<FoundSession | undefined>
  end(value: string): Promise<void>
  /** Ends all sessions of the holder of this one. */
  endAll(value: string): Promise<void>
  /** Ends those that were signed in with a passkey. */
  endOfPasskey(passkey: string): Promise<void>
  /** Those of the given sessions that still exist. */
  filterOpen(sessions: readonly string[]): Promise<ReadonlySet<string>>
  /** Calls back when a session ended, on any instance. Returns the function that stops it. */
  onEnd(listener: () => void): () => void
}

export interface FoundSession {
  readonly hash: string
  /** Undefined: signed in with the operator token. */
  readonly key: ActiveKey | undefined
  readonly openedAt: number
}

/** Distinguishes a session value from the operator token, which the cookie may also hold. */
export const isSessionValue = (value: string): boolean => VALUE.test(value)

/** Without a directory only the operator token has sessions. */
export function sessions(
  store: Store,
  clock: Clock,
  token: string,
  people: Pick<KeyDirectory, 'findHash'> = { findHash: () => undefined },
): Sessions {
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

  async function extend(hash: string, now: number): Promise<void> {
    await store.db
      .updateTable('console_session')
      .set({ expires_at: now + PERSON_SESSION_MS })
      .where('hash', '=', hash)
      .execute()
  }

  return {
    async open(keyHash, passkey) {
      const value = `cs_${randomBytes(32).toString('base64url')}`
      const now = clock.now()
      await store.transaction(async (tx) => {
        await tx.deleteFrom('console_session').where('expires_at', '<=', now).execute()
        const surplus = await tx
          .selectFrom('console_session')
          .select('hash')
          .where('key_hash', keyHash === undefined ? 'is' : '=', keyHash ?? null)
          .orderBy('created_at', 'desc')
          .limit(TOKEN_SESSIONS_MAX)
          .offset((keyHash === undefined ? TOKEN_SESSIONS_MAX : KEY_SESSIONS_MAX) - 1)
          .execute()
        for (const { hash } of surplus) await tx.deleteFrom('console_session').where('hash', '=', hash).execute()
        const lifetime = keyHash === undefined ? SESSION_MS : PERSON_SESSION_MS
        const row = { hash: hashOf(value), created_at: now, expires_at: now + lifetime }
        const holder = { key_hash: keyHash ?? null, passkey: passkey ?? null }
        await tx
          .insertInto('console_session')
          .values({ ...row, ...holder })
          .execute()
      })
      return value
    },
    async find(value) {
      const hash = hashOf(value)
      const now = clock.now()
      const row = await store.reservedDb
        .selectFrom('console_session')
        .select(['created_at', 'expires_at', 'key_hash'])
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (!row) return undefined
      const openedAt = row.created_at
      if (row.key_hash === null) return { hash, key: undefined, openedAt }
      const key = await people.findHash(row.key_hash)
      if (key && row.expires_at < now + PERSON_SESSION_MS - EXTEND_AFTER_MS) {
        // Not waited for: the emergency stop may be what is asked for. The next request tries again.
        extend(hash, now).catch(() => {})
      }
      return key && { hash, key, openedAt }
    },
    async end(value) {
      await store.db.deleteFrom('console_session').where('hash', '=', hashOf(value)).execute()
      store.notify(CHANNEL)
    },
    async endAll(value) {
      await store.transaction(async (tx) => {
        const own = await tx
          .selectFrom('console_session')
          .select('key_hash')
          .where('hash', '=', hashOf(value))
          .executeTakeFirst()
        if (own)
          await tx.deleteFrom('console_session').where('key_hash', 'is not distinct from', own.key_hash).execute()
      })
      store.notify(CHANNEL)
    },
    async endOfPasskey(passkey) {
      await store.db.deleteFrom('console_session').where('passkey', '=', passkey).execute()
      store.notify(CHANNEL)
    },
    filterOpen: async (hashes) => (hashes.length === 0 ? new Set<string>() : filterOpen(hashes)),
    onEnd: (listener) => store.listen(CHANNEL, listener),
  }
}
