/**
 * `Idempotency-Key` on writes: the first request of a caller with a key runs, later ones get its reply, byte for byte. The
 * claim is on disk before the work starts, so two instances cannot both run it.
 */
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { IDEMPOTENCY_KEY_MAX } from '../contract/limits.ts'
import { type Clock, HOUR, SECOND } from '../kernel/clock.ts'
import { type Refusal, refuse } from '../kernel/outcome.ts'
import { type Store, changeRows } from '../store/store.ts'
import { matchColumns } from '../store/match-columns.ts'
import { compiledQuery, hasAffectedRows } from '../store/compiled-query.ts'
import { deleteCreatedBefore } from '../store/created.ts'
import { livenessMonitor } from '../store/liveness.ts'
import type { Columns } from '../store/schema.ts'
import { type HttpReply, readWholeText } from './response.ts'

const KEPT_MS = 48 * HOUR
const WAIT_MS = 30 * SECOND
const POLL_MS = 100
/** A holder renews its claim while it works. Without renewal for this long, it is taken for dead. */
const HELD_MS = 10 * SECOND
const RENEW_MS = 2 * SECOND
const RETRY_AFTER_SECONDS = 5
/** Holder of a claim that was given up after a failure. */
const NOBODY = ''

export type StoredReply = HttpReply<string>

export interface WorkResult extends HttpReply {
  /** The next request with this key runs again: refused credentials, overload, internal errors, pending approvals. */
  readonly unstored?: boolean
}

export type KeyedResult =
  | { readonly kind: 'fresh' | 'replayed'; readonly reply: StoredReply }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= IDEMPOTENCY_KEY_MAX

const OTHER_BODY: KeyedResult = {
  kind: 'refused',
  refusal: refuse(
    'idempotency_mismatch',
    'This idempotency key was already used for another request. Nothing was executed.',
  ).refusal,
}
const STILL_RUNNING: KeyedResult = {
  kind: 'refused',
  refusal: refuse(
    'idempotency_in_progress',
    'The first request with this idempotency key is still running. Repeat it later to get its reply.',
    undefined,
    { retryAfter: RETRY_AFTER_SECONDS },
  ).refusal,
}

const isStored = (result: WorkResult) =>
  result.unstored !== true && result.status !== 401 && result.status !== 429 && result.status < 500

interface Claim extends Omit<Columns<'idempotency'>, 'status' | 'headers' | 'body'> {
  /** Replies created before this have expired. */
  readonly expired: number
}

/** Inserts nothing when the key is in use and has not expired. */
const insertClaim = compiledQuery((db, { expired, ...claim }: Claim) =>
  db
    .insertInto('idempotency')
    .values({ ...claim, status: null, headers: null, body: null })
    .onConflict((conflict) =>
      conflict
        .column('scope')
        .doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          held_until: eb.ref('excluded.held_until'),
          holder: eb.ref('excluded.holder'),
          created_at: eb.ref('excluded.created_at'),
          request_hash: eb.ref('excluded.request_hash'),
        }))
        .where('idempotency.created_at', '<', expired),
    ),
)

type StoredValues = Pick<Columns<'idempotency'>, 'scope' | 'holder' | 'status' | 'headers' | 'body'>

const storeReply = compiledQuery((db, { scope, holder, ...reply }: StoredValues) =>
  db
    .updateTable('idempotency')
    .set({ state: 'done', ...reply })
    .where('scope', '=', scope)
    .where('holder', '=', holder),
)

/** The same for whoever takes the claim over; another one when the key is used again after it expired. */
const writeIdOf = (scope: string, claimedAt: number): string => hash('sha256', `${claimedAt} ${scope}`, 'hex')

/** A claim as a waiting request read it. */
type SeenClaim = Pick<Columns<'idempotency'>, 'holder' | 'held_until'>

export function idempotency(store: Store, clock: Clock) {
  const monitor = livenessMonitor(clock, HELD_MS)

  /** When it was claimed; undefined when the key is in use. */
  async function claim(scope: string, requestHash: string, holder: string): Promise<number | undefined> {
    const now = clock.now()
    const claimed = { state: 'running', held_until: now + HELD_MS, holder, created_at: now } as const
    const values = { scope, request_hash: requestHash, ...claimed, expired: now - KEPT_MS }
    return hasAffectedRows(await store.transaction((tx) => insertClaim(tx, values))) ? now : undefined
  }

  /**
   * Takes the claim of a dead holder, if it is still as it was read. Running the operation again is safe: operations that
   * spend money have their own claim and find what the dead process did, and others find it by the id of the write.
   */
  async function takeOver(scope: string, dead: SeenClaim, holder: string): Promise<boolean> {
    const isTaken = await changeRows(
      store.db
        .updateTable('idempotency')
        .set({ holder, held_until: Math.max(clock.now() + HELD_MS, dead.held_until + 1) })
        .where((eb) => matchColumns(eb, { scope, state: 'running', holder: dead.holder, held_until: dead.held_until })),
    )
    monitor.forget(scope)
    return isTaken
  }

  async function runAndStore(
    scope: string,
    holder: string,
    run: () => Promise<WorkResult>,
    isTakenOver = false,
  ): Promise<KeyedResult> {
    const renewal = setInterval(() => {
      store.db
        .updateTable('idempotency')
        // Independent of the clock, so that waiting requests notice every renewal.
        .set((eb) => ({ held_until: eb('held_until', '+', 1) }))
        .where((eb) => matchColumns(eb, { scope, holder }))
        .execute()
        // A renewal that fails only shortens the claim.
        .catch(() => {})
    }, RENEW_MS)
    renewal.unref()
    let isForgotten = false
    let isDone = false
    try {
      const result = await run()
      const text = await readWholeText(result.body)
      const reply: StoredReply = { status: result.status, headers: result.headers, body: text }
      if (isStored(result)) {
        const { status, headers, body } = reply
        const values = { scope, holder, status, headers: JSON.stringify(headers), body }
        await store.transaction((tx) => storeReply(tx, values))
        isDone = true
      } else isForgotten = !isTakenOver
      return { kind: 'fresh', reply }
    } finally {
      clearInterval(renewal)
      if (isForgotten) await remove(scope, holder)
      // What it did may be committed: whoever takes it over runs as the same write.
      else if (!isDone) await release(scope, holder)
    }
  }

  /** A removal or release that fails leaves a claim that is no longer renewed, so it lapses. */
  const remove = (scope: string, holder: string): Promise<unknown> =>
    store.db
      .deleteFrom('idempotency')
      .where((eb) => matchColumns(eb, { scope, holder, state: 'running' }))
      .execute()
      .catch(() => {})

  const release = (scope: string, holder: string): Promise<unknown> =>
    store.db
      .updateTable('idempotency')
      .set({ holder: NOBODY })
      .where((eb) => matchColumns(eb, { scope, holder, state: 'running' }))
      .execute()
      .catch(() => {})

  return {
    async runOnce(
      request: {
        readonly method: string
        readonly path: string
        readonly key: string
        readonly raw: Buffer
        /** Each named key has its own; all requests with the operator token share theirs. */
        readonly keyId: string | undefined
      },
      run: (writeId: string) => Promise<WorkResult>,
    ): Promise<KeyedResult> {
      const holderOf = request.keyId === undefined ? '' : `${request.keyId} `
      const scope = `${holderOf}${request.method} ${request.path} ${request.key}`
      const requestHash = hash('sha256', request.raw, 'hex')
      const holder = randomUUID()
      const deadline = clock.elapsed() + WAIT_MS
      let isFree = true
      while (true) {
        const claimedAt = isFree ? await claim(scope, requestHash, holder) : undefined
        if (claimedAt !== undefined) return runAndStore(scope, holder, () => run(writeIdOf(scope, claimedAt)))
        const row = await store.db
          .selectFrom('idempotency')
          .select(['request_hash', 'state', 'holder', 'held_until', 'created_at', 'status', 'headers', 'body'])
          .where('scope', '=', scope)
          .executeTakeFirst()
        if (row && row.request_hash !== requestHash) return OTHER_BODY
        if (row?.state === 'done')
          return {
            kind: 'replayed',
            reply: {
              status: row.status ?? 200,
              headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
              body: row.body ?? '',
            },
          }
        const isAbandoned =
          row && (row.holder === NOBODY || monitor.hasLapsed(scope, `${row.holder} ${row.held_until}`))
        if (isAbandoned && (await takeOver(scope, row, holder)))
          return runAndStore(scope, holder, () => run(writeIdOf(scope, row.created_at)), true)
        if (clock.elapsed() > deadline) return STILL_RUNNING
        isFree = row === undefined
        await sleep(POLL_MS)
      }
    },

    /** Removes expired keys; run by a job. */
    async purge(): Promise<number> {
      const before = clock.now() - KEPT_MS
      await deleteCreatedBefore(store.db, before)
      const deleted = await store.db.deleteFrom('idempotency').where('created_at', '<', before).executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },
  }
}

export type Idempotency = ReturnType<typeof idempotency>
