/**
 * What the end of a purchase means for its run. Lines whose purchase was canceled, rejected or expired before it was
 * sent, or was canceled by its supplier, bring nothing: they are removed, and their slots are free. A run that brings
 * nothing any more is closed.
 */
import type { RunStatus } from '../../../../contract/shapes/run-status.ts'
import { ConflictError, retryOnConflict } from '../../../../lib/concurrency.ts'
import type { Queryable, Tx } from '../../../../store/store.ts'
import { type Session, closeSession, findSessions } from '../../../checkout/index.ts'
import type { Context } from '../../../../context.ts'
import { recordEvent } from '../../../../record/events/index.ts'
import { findPurchases } from '../../../orders/index.ts'
import { hasEndedUnsent } from '../place/placement-intent.ts'
import { productsBesides, purchasedUnits } from './purchased-units.ts'
import { appendRunEvent, findRun, incrementRunsVersion, updateRun, writePlacedLines } from '../records.ts'
import { omitUndefined } from '../../../../lib/objects.ts'
import { setReservations } from '../../../../route/storeroom/index.ts'
import { serveFromStoreroom } from '../../storeroom/serve-lines.ts'
import { type Run, type RunCheckout, type RunLine, activeLines, MESSAGES_MAX, reservedUnits } from '../run.ts'
import { loadSameProducts } from './sessions.ts'
import { listPlacedCheckouts, listRunsAwaiting } from '../slot-run-records.ts'
import { purchaseEndedError, purchasesEndedEvent } from '../texts.ts'
import { NEXT } from '../transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** The job, and before a run is read. */
export async function removeEndedLines(ctx: Deps): Promise<void> {
  for (const id of await listRunsWithEndedLines(ctx.store.db, ctx.clock.now()))
    // Looked at first: a transaction that removes nothing would hold up other runs.
    if (await findGoneLines(ctx, ctx.store.db, id))
      await retryOnConflict(() => ctx.store.transaction((tx) => removeLinesOf(ctx, tx, id)))
}

async function listRunsWithEndedLines(db: Queryable, now: number): Promise<readonly string[]> {
  const { ended } = await findEnded(db, await listPlacedCheckouts(db), now)
  return listRunsAwaiting(db, [...ended])
}

/** The purchases that bring nothing any more, and the sessions of all. */
async function findEnded(db: Queryable, checkouts: readonly RunCheckout[], now: number) {
  const ids = checkouts.map(({ id }) => id)
  const sessions = await findSessions(db, ids)
  const stateOf = new Map((await findPurchases(db, ids)).map(({ id, state }) => [id, state]))
  const hasEnded = (session: Session): boolean => {
    const state = stateOf.get(session.id)
    return state === undefined ? hasEndedUnsent(session, now) : state === 'cancelled'
  }
  return { sessions, ended: new Set(sessions.filter(hasEnded).map(({ id }) => id)) }
}

/** The lines of a placed run that bring nothing any more; undefined: none. */
async function findGoneLines(ctx: Deps, db: Queryable, id: string) {
  const run = await findRun(db, id)
  if (run?.status !== 'placed') return undefined
  const { sessions, ended } = await findEnded(db, run.checkouts, ctx.clock.now())
  const open = activeLines(run.lines).filter(({ deliveredAt }) => deliveredAt === undefined)
  const others = sessions.filter((session) => !ended.has(session.id))
  // A product may have been bought with another purchase of the run instead.
  const units = purchasedUnits(open, others, await loadSameProducts(db, productsBesides(open, others)))
  const gone = open.filter(
    ({ checkout, source }) =>
      checkout !== undefined && ended.has(checkout) && (source === undefined || !units.get(source)),
  )
  return gone.length === 0 ? undefined : { run, sessions, ended, gone }
}

async function removeLinesOf(ctx: Deps, tx: Tx, id: string): Promise<void> {
  await incrementRunsVersion(tx)
  const found = await findGoneLines(ctx, tx, id)
  if (!found) return
  const { run, sessions, ended, gone } = found
  for (const session of sessions)
    if (ended.has(session.id) && session.status !== 'canceled' && session.status !== 'completed')
      await closeSession(ctx, tx, session, 'expired')
  const served = await serveFromStoreroom(ctx, tx, gone)
  await writeRemoved(ctx, tx, run, gone, served)
}

/**
 * Takes the purchase from these lines of a placed run, removes those that the store room does not serve, and closes the run
 * when none is left. Call `incrementRunsVersion` first.
 */
export async function writeRemoved(
  ctx: Deps,
  tx: Tx,
  run: Run,
  gone: readonly RunLine[],
  served: readonly RunLine[] = [],
): Promise<void> {
  const now = ctx.clock.now()
  const servedLines = new Map(served.map((line) => [line.n, line]))
  const removed = gone.filter(({ n }) => !servedLines.has(n))
  const left = activeLines(run.lines).filter(({ n }) => !removed.some((line) => line.n === n))
  const received = left.filter(({ deliveredAt }) => deliveredAt !== undefined)
  const status: RunStatus =
    left.length === 0 ? NEXT.placed.cancel : received.length === left.length ? NEXT.placed.receive : 'placed'
  const vendors = [...Map.groupBy(gone, ({ checkout }) => checkout)].map(([checkout, lines]) =>
    purchaseEndedError(run.checkouts.find(({ id }) => id === checkout)?.vendor ?? '', lines.length),
  )
  await writePlacedLines(
    tx,
    run.id,
    gone.map((line) => {
      const served = servedLines.get(line.n)
      if (!served) return { ...line, removed: 'canceled' as const }
      const { n, source, fromStoreroom, bought } = served
      return omitUndefined({ n, source, fromStoreroom, bought })
    }),
  )
  await setReservations(tx, run.id, reservedUnits(left.map((line) => servedLines.get(line.n) ?? line)))
  const change = {
    status,
    ...(status === 'delivered' && {
      deliveredAt: Math.max(...received.map(({ deliveredAt = 0 }) => deliveredAt)),
      deliveredUnits: received.reduce((units, { delivered = 0 }) => units + delivered, 0),
    }),
    body: {
      ...run,
      ...(status === 'rejected' && { purchasesEnded: true as const }),
      messages: [...vendors, ...run.messages].slice(0, MESSAGES_MAX),
    },
    ...(status === 'rejected' && { placing: null }),
  }
  if (!(await updateRun(tx, run.id, 'placed', change))) throw new ConflictError()
  if (removed.length > 0) {
    const lines = removed.map(({ n, quantity }) => ({ n, quantity }))
    await appendRunEvent(tx, run.id, 'canceled', now, lines)
  }
  await recordEvent(ctx, tx, purchasesEndedEvent(run, gone, removed, status))
}
