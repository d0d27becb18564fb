/**
 * `Idempotency-Key` on every write: the first request with a key runs, the others get its answer, byte for byte.
 * The claim is on disk before the work starts, so two instances cannot both run it.
 */
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, SECOND } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { refuse } from '../kernel/outcome.ts'
import type { Refusal } from '../kernel/outcome.ts'
import { hasUpdatedRows } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { compiledQuery, hasAffectedRows } from '../store/compiled-query.ts'
import { livenessMonitor } from '../store/liveness.ts'
import { wholeText } from './response.ts'
import type { HttpReply } from './response.ts'

const KEPT_MS = 48 * HOUR
const WAIT_MS = 30 * SECOND
const POLL_MS = 100
/** A holder renews its claim while it works; silent for this long, as a waiting request sees it, it is taken for dead. */
const HELD_MS = 10 * SECOND
const RENEW_MS = 2 * SECOND
const RETRY_AFTER_SECONDS = 5

export type StoredReply = HttpReply<string>

export interface WorkResult extends HttpReply {
  /** The next request with this key runs anew: refused credentials, overload, our own failures, open approvals. */
  readonly unstored?: boolean
}

export type KeyedResult =
  | { readonly kind: 'fresh' | 'replayed'; readonly answer: StoredReply }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

const OTHER_BODY: KeyedResult = {
  kind: 'refused',
  refusal: refuse('idempotency_mismatch', 'this Idempotency-Key was used with another body; nothing was executed')
    .refusal,
}
const STILL_RUNNING: KeyedResult = {
  kind: 'refused',
  refusal: refuse(
    'idempotency_in_progress',
    'the first request with this Idempotency-Key is still running; repeat it to get its answer',
    undefined,
    { retryAfter: RETRY_AFTER_SECONDS },
  ).refusal,
}

const isStored = (result: WorkResult) =>
  result.unstored !== true && result.status !== 401 && result.status !== 429 && result.status < 500

interface Claim {
  readonly scope: string
  readonly fingerprint: string
  readonly state: 'running'
  readonly held_until: number
  readonly holder: string
  readonly created_at: number
  /** Kept long enough when older than this. */
  readonly old: number
}

/** Nobody has the key, or it was kept long enough. */
const insertClaim = compiledQuery((db, { old, ...claim }: Claim) =>
  db
    .insertInto('idempotency')
    .values({ ...claim, status: null, headers: null, body: null })
    .onConflict((conflict) =>
      conflict
        .column('scope')
        .doUpdateSet((at) => ({
          state: at.ref('excluded.state'),
          held_until: at.ref('excluded.held_until'),
          holder: at.ref('excluded.holder'),
          created_at: at.ref('excluded.created_at'),
          fingerprint: at.ref('excluded.fingerprint'),
        }))
        .where('idempotency.created_at', '<', old),
    ),
)

interface Kept {
  readonly scope: string
  readonly holder: string
  readonly status: number
  readonly headers: string
  readonly body: string
}

const keepAnswer = compiledQuery((db, { scope, holder, ...answer }: Kept) =>
  db
    .updateTable('idempotency')
    .set({ state: 'done', ...answer })
    .where('scope', '=', scope)
    .where('holder', '=', holder),
)

/** A claim as a waiting request saw it. */
interface SeenClaim {
  readonly holder: string
  readonly held_until: number
}

export function idempotency(store: Store, clock: Clock) {
  const watch = livenessMonitor(clock, HELD_MS)

  async function claim(scope: string, fingerprint: string, holder: string): Promise<boolean> {
    const now = clock.now()
    const held = { state: 'running', held_until: now + HELD_MS, holder, created_at: now } as const
    const values = { scope, fingerprint, ...held, old: now - KEPT_MS }
    return hasAffectedRows(await store.transaction((tx) => insertClaim(tx, values)))
  }

  /**
   * The claim of a holder that is dead, exactly as it was seen. Running the operation again is safe: what spends money has
   * a claim of its own, and whatever else the dead process did is found there.
   */
  async function takeOver(scope: string, dead: SeenClaim, holder: string): Promise<boolean> {
    const taken = await store.db
      .updateTable('idempotency')
      .set({ holder, held_until: Math.max(clock.now() + HELD_MS, dead.held_until + 1) })
      .where('scope', '=', scope)
      .where('state', '=', 'running')
      .where('holder', '=', dead.holder)
      .where('held_until', '=', dead.held_until)
      .executeTakeFirst()
    watch.forget(scope)
    return hasUpdatedRows(taken)
  }

  async function work(scope: string, holder: string, run: () => Promise<WorkResult>): Promise<KeyedResult> {
    const renewal = setInterval(() => {
      store.db
        .updateTable('idempotency')
        // Strictly growing, whatever becomes of the clock, so that those who wait see every renewal.
        .set((at) => ({ held_until: at('held_until', '+', 1) }))
        .where('scope', '=', scope)
        .where('holder', '=', holder)
        .execute()
        // A renewal that fails only shortens the claim.
        .catch(() => {})
    }, RENEW_MS)
    renewal.unref()
    let stored = false
    try {
      const result = await run()
      const text = await wholeText(result.body)
      const answer: StoredReply = { status: result.status, headers: result.headers, body: text }
      if (isStored(result)) {
        const { status, headers, body } = answer
        const values = { scope, holder, status, headers: JSON.stringify(headers), body }
        await store.transaction((tx) => keepAnswer(tx, values))
        stored = true
      }
      return { kind: 'fresh', answer }
    } finally {
      clearInterval(renewal)
      if (!stored)
        await store.db
          .deleteFrom('idempotency')
          .where('scope', '=', scope)
          .where('holder', '=', holder)
          .where('state', '=', 'running')
          .execute()
          // Nobody renews the claim any more, so it lapses by itself.
          .catch(() => {})
    }
  }

  return {
    async keyed(
      request: { readonly method: string; readonly path: string; readonly key: string; readonly raw: Buffer },
      run: () => Promise<WorkResult>,
    ): Promise<KeyedResult> {
      const scope = `${request.method} ${request.path} ${request.key}`
      const fingerprint = hash('sha256', request.raw, 'hex')
      const holder = randomUUID()
      const giveUp = clock.elapsed() + WAIT_MS
      let isFree = true
      while (true) {
        if (isFree && (await claim(scope, fingerprint, holder))) return work(scope, holder, run)
        const row = await store.db
          .selectFrom('idempotency')
          .select(['fingerprint', 'state', 'holder', 'held_until', 'status', 'headers', 'body'])
          .where('scope', '=', scope)
          .executeTakeFirst()
        if (row && row.fingerprint !== fingerprint) return OTHER_BODY
        if (row?.state === 'done')
          return {
            kind: 'replayed',
            answer: {
              status: row.status ?? 200,
              headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
              body: row.body ?? '',
            },
          }
        if (row && watch.hasLapsed(scope, `${row.holder} ${row.held_until}`) && (await takeOver(scope, row, holder)))
          return work(scope, holder, run)
        if (clock.elapsed() > giveUp) return STILL_RUNNING
        isFree = row === undefined
        await sleep(POLL_MS)
      }
    },

    /** Removes keys past their 48 hours; a job calls it. */
    async purge(): Promise<number> {
      const gone = await store.db
        .deleteFrom('idempotency')
        .where('created_at', '<', clock.now() - KEPT_MS)
        .executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}

export type Idempotency = ReturnType<typeof idempotency>
