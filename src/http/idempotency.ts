/**
 * `Idempotency-Key` on every write: the first request with a key runs, the others get its answer, byte for byte.
 * The claim is on disk before the work starts, so two instances cannot both run it.
 */
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { error } from '../kernel/message.ts'
import type { Refusal } from '../kernel/outcome.ts'
import type { Store } from '../store/db.ts'
import { fixed, touched } from '../store/fixed.ts'
import { wholeText } from './answer.ts'
import type { Answer } from './answer.ts'

const KEPT_MS = 48 * HOUR
const WAIT_MS = 30 * SECOND
const POLL_MS = 100
/** A holder renews its claim while it works; silent for this long it is taken for dead. */
const HELD_MS = MINUTE
const RENEW_MS = 20 * SECOND

export type StoredAnswer = Answer<string>

export interface WorkResult extends Answer {
  /** The next request with this key runs anew: refused credentials, overload, our own failures, open approvals. */
  readonly unstored?: boolean
}

export type KeyedResult =
  | { readonly kind: 'fresh' | 'replayed'; readonly answer: StoredAnswer }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

const refused = (content: string, retryAfter?: number): KeyedResult => ({
  kind: 'refused',
  refusal: {
    messages: [error('idempotency_mismatch', content)],
    ...(retryAfter === undefined ? {} : { retryAfter }),
  },
})

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
  readonly now: number
}

const insertOrTakeOver = fixed((db, { old, now, ...claim }: Claim) =>
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
        .where((at) =>
          at.or([
            at('idempotency.created_at', '<', old),
            at.and([
              at('idempotency.state', '=', 'running'),
              at('idempotency.held_until', '<', now),
              at('idempotency.fingerprint', '=', at.ref('excluded.fingerprint')),
            ]),
          ]),
        ),
    ),
)

interface Kept {
  readonly scope: string
  readonly holder: string
  readonly status: number
  readonly headers: string
  readonly body: string
}

const keepAnswer = fixed((db, { scope, holder, ...answer }: Kept) =>
  db
    .updateTable('idempotency')
    .set({ state: 'done', ...answer })
    .where('scope', '=', scope)
    .where('holder', '=', holder),
)

export function idempotency(store: Store, clock: Clock) {
  /** True when this request may run: nobody claimed the key, or the holder is dead. */
  async function claim(scope: string, fingerprint: string, holder: string): Promise<boolean> {
    const now = clock.now()
    const held = { state: 'running', held_until: now + HELD_MS, holder, created_at: now } as const
    const values = { scope, fingerprint, ...held, old: now - KEPT_MS, now }
    return touched(await store.transaction((tx) => insertOrTakeOver(tx, values)))
  }

  async function work(scope: string, holder: string, run: () => Promise<WorkResult>): Promise<KeyedResult> {
    const renewal = setInterval(() => {
      store.db
        .updateTable('idempotency')
        .set({ held_until: clock.now() + HELD_MS })
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
      const answer: StoredAnswer = { status: result.status, headers: result.headers, body: text }
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
      const giveUp = performance.now() + WAIT_MS
      while (true) {
        if (await claim(scope, fingerprint, holder)) return work(scope, holder, run)
        const row = await store.db
          .selectFrom('idempotency')
          .select(['fingerprint', 'state', 'status', 'headers', 'body'])
          .where('scope', '=', scope)
          .executeTakeFirst()
        if (row && row.fingerprint !== fingerprint)
          return refused('this Idempotency-Key was used with another body; nothing was executed')
        if (row?.state === 'done')
          return {
            kind: 'replayed',
            answer: {
              status: row.status ?? 200,
              headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
              body: row.body ?? '',
            },
          }
        if (performance.now() > giveUp)
          return refused('the first request with this Idempotency-Key is still running', 5)
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
