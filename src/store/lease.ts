/**
 * One holder at a time over all instances, by compare-and-set on a row. A lease is at-least-once: a holder that dies
 * is replaced when its time is up, so whatever runs under a lease can run again. See docs/adr/0022.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { hasUpdatedRows } from './store.ts'
import type { Store } from './store.ts'
import { livenessWatch } from './liveness.ts'
import type { LivenessWatch } from './liveness.ts'

/** How long the work of a process that was killed waits for another to take it over. */
const HELD_MS = 15 * SECOND
const RENEW_MS = 5 * SECOND
const RETRY_MS = 100
/** `held_until` of a lease that nobody holds. */
const FREE = 0

export interface Lease {
  readonly fence: number
  /** Gives it back; `nextAt` says when the job under it is due again. */
  release(nextAt?: number): Promise<void>
}

export interface Needs {
  readonly store: Store
  readonly clock: Clock
}

/** What a look at a lease found. */
export interface LeaseState {
  readonly fence: number
  /** By the wall clock of the instance that wrote it. */
  readonly nextAt: number
  readonly holder: 'nobody' | 'alive' | 'dead'
}

/** For one caller that looks again and again: holders are judged by what it saw. */
export const leaseWatch = (clock: Clock): LivenessWatch => livenessWatch(clock, HELD_MS)

/** Undefined when someone else holds it, or when `mayTake` says no to what was found. */
export async function tryLease(
  { store, clock }: Needs,
  name: string,
  watch: LivenessWatch,
  mayTake: (state: LeaseState) => boolean = () => true,
): Promise<Lease | undefined> {
  const holder = randomUUID()
  // A look first: instances ask every second, and a refused update would take the write lock each time.
  const row = await store.db
    .selectFrom('lease')
    .select(['fence', 'held_until', 'next_at'])
    .where('name', '=', name)
    .executeTakeFirst()
  const { fence, held_until: sign, next_at: nextAt } = row ?? { fence: 0, held_until: FREE, next_at: 0 }
  const isDead = sign !== FREE && watch.hasLapsed(name, `${fence} ${sign}`)
  const state = { fence, nextAt, holder: sign === FREE ? 'nobody' : isDead ? 'dead' : 'alive' } as const
  if (!mayTake(state) || state.holder === 'alive') return undefined
  if (!row)
    await store.db
      .insertInto('lease')
      .values({ name, holder: '', fence, held_until: FREE, next_at: nextAt })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
  // Strictly growing, also when the clock is set back, so that waiters see every renewal.
  let renewed = Math.max(clock.now() + HELD_MS, sign + 1)
  const taken = await store.db
    .updateTable('lease')
    .set({ holder, held_until: renewed, fence: fence + 1 })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .where('held_until', '=', sign)
    .executeTakeFirst()
  if (!hasUpdatedRows(taken)) return undefined
  watch.forget(name)

  const mine = () => store.db.updateTable('lease').where('name', '=', name).where('holder', '=', holder)
  const renewal = setInterval(() => {
    renewed = Math.max(clock.now() + HELD_MS, renewed + 1)
    // A renewal that fails only shortens the lease.
    mine()
      .set({ held_until: renewed })
      .execute()
      .catch(() => {})
  }, RENEW_MS)
  renewal.unref()
  return {
    fence: fence + 1,
    release: async (next) => {
      clearInterval(renewal)
      await mine()
        .set(next === undefined ? { held_until: FREE } : { held_until: FREE, next_at: next })
        .execute()
    },
  }
}

/** Waits its turn, up to `waitMs` of real time; undefined when it never came. */
export async function waitForLease(needs: Needs, name: string, waitMs: number): Promise<Lease | undefined> {
  const watch = leaseWatch(needs.clock)
  const giveUp = performance.now() + waitMs
  while (true) {
    const lease = await tryLease(needs, name, watch)
    if (lease || performance.now() > giveUp) return lease
    await sleep(RETRY_MS)
  }
}
