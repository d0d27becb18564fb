/**
 * One holder at a time over all instances, by compare-and-set on a row. A lease is at-least-once: a holder that dies
 * is replaced when its time is up, so whatever runs under a lease can run again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { changed } from './db.ts'
import type { Store } from './db.ts'

/** How long the work of a process that was killed waits for another to take it over. */
const HELD_MS = 15 * SECOND
const RENEW_MS = 5 * SECOND
const RETRY_MS = 100

export interface Lease {
  readonly fence: number
  /** Gives it back; `nextAt` says when the job under it is due again. */
  release(nextAt?: number): Promise<void>
}

export interface Needs {
  readonly store: Store
  readonly clock: Clock
}

/** Undefined when someone else holds it, or, with `due`, when it is not due yet. */
export async function tryLease({ store, clock }: Needs, name: string, due = false): Promise<Lease | undefined> {
  const now = clock.now()
  const holder = randomUUID()
  // A look first: instances ask every second, and a refused update would take the write lock each time.
  const row = await store.db
    .selectFrom('lease')
    .select(['held_until', 'next_at'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (row && (row.held_until > now || (due && row.next_at > now))) return undefined
  if (!row)
    await store.db
      .insertInto('lease')
      .values({ name, holder: '', fence: 0, held_until: 0, next_at: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
  let take = store.db
    .updateTable('lease')
    .set((at) => ({ holder, held_until: now + HELD_MS, fence: at('fence', '+', 1) }))
    .where('name', '=', name)
    .where('held_until', '<=', now)
  if (due) take = take.where('next_at', '<=', now)
  if (!changed(await take.executeTakeFirst())) return undefined

  const { fence } = await store.db
    .selectFrom('lease')
    .select('fence')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const mine = () => store.db.updateTable('lease').where('name', '=', name).where('holder', '=', holder)
  const renewal = setInterval(() => {
    // A renewal that fails only shortens the lease.
    mine()
      .set({ held_until: clock.now() + HELD_MS })
      .execute()
      .catch(() => {})
  }, RENEW_MS)
  renewal.unref()
  return {
    fence,
    release: async (nextAt) => {
      clearInterval(renewal)
      await mine()
        .set(nextAt === undefined ? { held_until: 0 } : { held_until: 0, next_at: nextAt })
        .execute()
    },
  }
}

/** Waits its turn, up to `waitMs` of real time; undefined when it never came. */
export async function waitForLease(needs: Needs, name: string, waitMs: number): Promise<Lease | undefined> {
  const giveUp = performance.now() + waitMs
  while (true) {
    const lease = await tryLease(needs, name)
    if (lease || performance.now() > giveUp) return lease
    await sleep(RETRY_MS)
  }
}
