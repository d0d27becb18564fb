/**
 * The keys that work, in memory: a request is authenticated without a query. Before a key is used, the directory was
 * compared with the database within the last half second; so a revoked key is refused within a second on every instance,
 * also after a process was suspended.
 */
import { timingSafeEqual } from 'node:crypto'
import { MINUTE } from '../../kernel/clock.ts'
import type { Identity } from '../../kernel/person.ts'
import type { Context } from '../../context.ts'
import { isKey, secretHash } from './key.ts'
import { type StoredPerson, listUnrevoked, markUsed, readPeopleVersion, hasSeparationOfDuties } from './records.ts'

/** Older knowledge is not used: this long after a change was committed, every instance goes by it. */
export const FRESH_MS = 500
/** Below FRESH_MS, so that requests hardly ever wait for the comparison. */
const POLL_MS = 400
export const PEOPLE_CHANNEL = 'vendops_people'

export interface ActiveKey {
  readonly hash: string
  readonly identity: Identity
  readonly rateLimitPerMinute: number | undefined
  /** The owner agreed in advance to what the rules allow. */
  readonly isAutonomous: boolean
}

type Found = ActiveKey | undefined

export interface KeyDirectory {
  /** The holder of a key. Synchronous while the directory is fresh. */
  findKey(key: string): Found | Promise<Found>
  /** The same by the hash, as sessions and open connections store it. */
  findHash(keyHash: string): Found | Promise<Found>
  /** As last compared; the transaction that resolves an approval reads it again. */
  hasSeparationOfDuties(): boolean
  /** Compares with the database now. */
  refresh(): Promise<void>
  /** Those of the keys that work, as last compared. */
  filterActive(keyHashes: Iterable<string>): ReadonlySet<string>
  /** Calls back when keys were added, revoked or replaced, or have expired. Returns the function that stops it. */
  onChange(listener: () => void): () => void
  close(): void
}

export function keyDirectory({ store, clock, log }: Pick<Context, 'store' | 'clock' | 'log'>): KeyDirectory {
  let people: ReadonlyMap<string, StoredPerson> = new Map()
  let version: number | undefined
  let isSeparated = false
  let comparedAt = Number.NEGATIVE_INFINITY
  let comparing: Promise<void> | undefined
  /** Waits for the running comparison; shared by all who ask meanwhile. */
  let next: Promise<void> | undefined
  let poll: NodeJS.Timeout | undefined
  let isClosed = false
  let nextExpiry = Number.POSITIVE_INFINITY
  const listeners = new Set<() => void>()
  const lastUsed = new Map<string, number>()

  const isExpired = ({ expiresAt }: StoredPerson) => expiresAt !== undefined && expiresAt <= clock.now()

  async function compare(): Promise<void> {
    const startedAt = clock.elapsed()
    const current = await readPeopleVersion(store.reservedDb)
    const isChanged = current !== version
    if (isChanged) {
      const unrevoked = await listUnrevoked(store.reservedDb)
      isSeparated = await hasSeparationOfDuties(store.reservedDb)
      people = new Map(unrevoked.map((person) => [person.keyHash, person]))
      version = current
    }
    comparedAt = startedAt
    const hasExpired = nextExpiry <= clock.now()
    if (isChanged || hasExpired) {
      nextExpiry = Math.min(
        ...[...people.values()].map(({ expiresAt }) =>
          expiresAt === undefined || expiresAt <= clock.now() ? Number.POSITIVE_INFINITY : expiresAt,
        ),
      )
      for (const listener of listeners) listener()
    }
    schedule()
  }

  /** Only while there are keys: otherwise a key that is used for the first time causes the comparison. */
  function schedule(): void {
    clearTimeout(poll)
    if (isClosed || people.size === 0) return
    // If the database does not answer, requests with a key ask again themselves.
    poll = setTimeout(() => void refresh().catch(schedule), POLL_MS)
    poll.unref()
  }

  /** A comparison that has started may have read the state before the caller's change, so one more follows it. */
  function refresh(): Promise<void> {
    if (next) return next
    if (comparing) return (next = comparing.catch(() => {}).then(start))
    return start()
  }

  function start(): Promise<void> {
    next = undefined
    comparing = compare().finally(() => (comparing = undefined))
    return comparing
  }

  function lookUp(keyHash: string): Found {
    const person = people.get(keyHash)
    // The map was asked by hash; comparing in constant time costs nothing and leaves no doubt.
    if (!person || !timingSafeEqual(Buffer.from(person.keyHash), Buffer.from(keyHash)) || isExpired(person))
      return undefined
    noteUse(person)
    const { id: keyId, name, role, rateLimitPerMinute, isAutonomous } = person
    return { hash: keyHash, identity: { keyId, name, role }, rateLimitPerMinute, isAutonomous }
  }

  /** Once a minute for each key, and never waited for. */
  function noteUse({ id, lastUsedAt = 0 }: StoredPerson): void {
    const minute = Math.floor(clock.now() / MINUTE) * MINUTE
    if ((lastUsed.get(id) ?? lastUsedAt) >= minute) return
    lastUsed.set(id, minute)
    markUsed(store.db, id, minute).catch((err: unknown) => log.warn({ err }, 'The use of a key could not be recorded'))
  }

  /** An unknown key may have been created a moment ago. All who ask meanwhile share one comparison, so wrong keys cost little. */
  const findHash: KeyDirectory['findHash'] = (keyHash) => {
    const known = clock.elapsed() - comparedAt < FRESH_MS ? lookUp(keyHash) : undefined
    return known ?? refresh().then(() => lookUp(keyHash))
  }

  const stopListening = store.listen(PEOPLE_CHANNEL, () => void refresh().catch(() => {}))

  return {
    findKey: (key) => (isKey(key) ? findHash(secretHash(key)) : undefined),
    findHash,
    hasSeparationOfDuties: () => isSeparated,
    refresh,
    filterActive: (keyHashes) =>
      new Set([...keyHashes].filter((each) => people.has(each) && !isExpired(people.get(each)!))),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      isClosed = true
      clearTimeout(poll)
      stopListening()
    },
  }
}
