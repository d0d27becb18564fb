/**
 * One holder at a time over all instances, by compare-and-set on a row. A dead holder is replaced after HELD_MS, so
 * whatever runs under a lease may run twice and must be idempotent. See docs/adr/0022.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, SECOND } from '../kernel/clock.ts'
import { type Store, changeRows } from './store.ts'
import { type LivenessMonitor, livenessMonitor } from './liveness.ts'
import { matchColumns } from './match-columns.ts'

/** How long the work of a killed process waits until another takes it over. */
const HELD_MS = 15 * SECOND
const RENEW_MS = 5 * SECOND
const RETRY_MS = 100
/** `held_until` of a lease that nobody holds. */
const FREE = 0

export interface Lease {
  readonly fence: number
  /** `nextAt`: when the job that runs under this lease is due again. */
  release(nextAt?: number): Promise<void>
}

export interface LeaseNeeds {
  readonly store: Store
  readonly clock: Clock
}

/** A lease as it was read. */
export interface LeaseState {
  readonly fence: number
  /** By the wall clock of the instance that wrote it. */
  readonly nextAt: number
  readonly holder: 'nobody' | 'alive' | 'dead'
}

/** One per caller that polls leases: it remembers the heartbeats that this caller saw. */
export const leaseMonitor = (clock: Clock): LivenessMonitor => livenessMonitor(clock, HELD_MS)

/** Undefined when another holder is alive, or when `mayTake` returns false. */
export async function tryLease(
  { store, clock }: LeaseNeeds,
  name: string,
  monitor: LivenessMonitor,
  mayTake: (state: LeaseState) => boolean = () => true,
): Promise<Lease | undefined> {
  const holder = randomUUID()
  // Reads first: every instance polls each second, and a refused update would take the write lock each time.
  const row = await store.db
    .selectFrom('lease')
    .select(['fence', 'held_until', 'next_at'])
    .where('name', '=', name)
    .executeTakeFirst()
  const { fence, held_until: heldUntil, next_at: nextAt } = row ?? { fence: 0, held_until: FREE, next_at: 0 }
  const isDead = heldUntil !== FREE && monitor.hasLapsed(name, `${fence} ${heldUntil}`)
  const state = { fence, nextAt, holder: heldUntil === FREE ? 'nobody' : isDead ? 'dead' : 'alive' } as const
  if (!mayTake(state) || state.holder === 'alive') return undefined
  if (!row)
    await store.db
      .insertInto('lease')
      .values({ name, holder: '', fence, held_until: FREE, next_at: nextAt })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
  // Always greater than before, also when the clock is set back, so that every renewal changes the heartbeat.
  let renewed = Math.max(clock.now() + HELD_MS, heldUntil + 1)
  const isTaken = await changeRows(
    store.db
      .updateTable('lease')
      .set({ holder, held_until: renewed, fence: fence + 1 })
      .where((eb) => matchColumns(eb, { name, fence, held_until: heldUntil })),
  )
  if (!isTaken) return undefined
  monitor.forget(name)

  const ownRow = () => store.db.updateTable('lease').where('name', '=', name).where('holder', '=', holder)
  const renewal = setInterval(() => {
    renewed = Math.max(clock.now() + HELD_MS, renewed + 1)
    // A renewal that fails only shortens the lease.
    ownRow()
      .set({ held_until: renewed })
      .execute()
      .catch(() => {})
  }, RENEW_MS)
  renewal.unref()
  return {
    fence: fence + 1,
    release: async (next) => {
      clearInterval(renewal)
      await ownRow()
        .set(next === undefined ? { held_until: FREE } : { held_until: FREE, next_at: next })
        .execute()
    },
  }
}

/** Polls for up to `waitMs` of real time; undefined when the lease did not become free. */
export async function waitForLease(needs: LeaseNeeds, name: string, waitMs: number): Promise<Lease | undefined> {
  const monitor = leaseMonitor(needs.clock)
  const deadline = performance.now() + waitMs
  while (true) {
    const lease = await tryLease(needs, name, monitor)
    if (lease || performance.now() > deadline) return lease
    await sleep(RETRY_MS)
  }
}
