/**
 * Pulls live inventory and sales of the machines on the roster. Timer, request and restart take this one path; the
 * roster is read here and never passed in. All reading comes first, then writing in small transactions: what a machine
 * said replaces what was known of it, and a machine that failed keeps what was known, with the reason.
 */
import { SALES_WINDOW_DAYS_DEFAULT } from '../../../contract/limits.ts'
import type { SyncReport } from '../../../contract/location.ts'
import { addDays, DAY, localDay, SECOND } from '../../../kernel/clock.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { accept, refuseAll, refuseBusy } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { waitForLease } from '../../../store/lease.ts'
import type { Failure } from '../../../vendors/contract.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { findLinks, writeLinks } from '../../skus/index.ts'
import { mapConcurrent, yieldToEventLoop, chunk } from '../../../lib/concurrency.ts'
import { ledgerNamespaces, refreshLedger } from '../../sales/index.ts'
import { listLocations } from '../records.ts'
import type { LocationRecord } from '../records.ts'
import { refusedSales, refusedWarning } from '../refused-rows.ts'
import { countSynced, locationsAwaitingSync, markFailed, renameVenues, sightings } from './records.ts'
import { replaceSlots } from './replace-slots.ts'
import type { MachineReading } from './replace-slots.ts'
import { downAltogether, syncMessages } from './sync-outcome.ts'
import type { LedgerFailure, MachineFailure } from './sync-outcome.ts'

/** Machines asked at once. */
export const MACHINES_AT_ONCE = 8
const MACHINES_PER_TRANSACTION = 20
const TURN_WAIT_MS = 30 * SECOND
const LEASE = 'sync'

export interface SyncOptions {
  readonly windowDays?: number | undefined
  /** Only machines registered since and not read yet. */
  readonly newOnly?: boolean
}

/** One at a time over all instances; a request waits its turn, but not for ever. */
export async function syncLocations(
  ctx: Context,
  options: SyncOptions = {},
): Promise<Outcome<Omit<SyncReport, 'ucp'>>> {
  const lease = await waitForLease(ctx, LEASE, TURN_WAIT_MS)
  if (!lease) return refuseBusy('Another sync is still running', TURN_WAIT_MS / SECOND)
  try {
    return await sync(ctx, options)
  } finally {
    await lease.release()
  }
}

async function sync(ctx: Context, options: SyncOptions): Promise<Outcome<Omit<SyncReport, 'ucp'>>> {
  const { store, clock, config } = ctx
  const windowDays = options.windowDays ?? SALES_WINDOW_DAYS_DEFAULT
  const roster = options.newOnly ? await locationsAwaitingSync(store.db) : await listLocations(store.db)
  // Another sync read them while this one waited its turn: nothing is left to do, and nothing to tell.
  if (options.newOnly && roster.length === 0) return accept({ locations: 0, products: 0, slots: 0, sales: 0 })
  const [answers, ledgerFailures] = await Promise.all([
    mapConcurrent(MACHINES_AT_ONCE, roster, (location) => readShelf(ctx, location)),
    roster.length === 0 ? [] : readLedgers(ctx, windowDays),
  ])
  const emptied = await suddenlyEmpty(ctx, answers)
  const readings = answers.filter((answer) => 'slots' in answer).filter(({ location }) => !emptied.has(location.id))
  const failures: MachineFailure[] = [
    ...answers.filter((answer) => 'failure' in answer),
    ...roster.filter(({ id }) => emptied.has(id)).map((location) => ({ location, failure: EMPTIED })),
  ]

  for (const part of chunk(readings, MACHINES_PER_TRANSACTION)) {
    await store.transaction((tx) => replaceSlots(tx, part, clock.now()))
    await yieldToEventLoop()
  }
  const links = await linksOf(ctx, readings)
  const seen = await sightings(store.db, roster, clock.now() - windowDays * DAY)
  const unseen = roster.filter(({ id }) => !seen.has(id))
  const messages = await syncMessages(store.db, { failures, ledgerFailures, unseen, windowDays, now: clock.now() })
  // Not in the event of this sync: each of these problems has had one of its own.
  const refused = [
    ...readings.flatMap((reading) => refusedWarning(reading.location.id, reading.refused ?? [])),
    ...[...(await refusedSales(store.db, clock.now() - windowDays * DAY))].flatMap(([namespace, rows]) =>
      refusedWarning(namespace, rows),
    ),
    ...(await refusedProducts(ctx, readings)),
  ]
  const counts = await countSynced(store.db, addDays(localDay(clock.now(), config.timeZone), -windowDays))
  const down = downAltogether(roster, failures, ledgerFailures)

  await store.transaction(async (tx) => {
    for (const { location, failure } of failures) await markFailed(tx, location.id, failure)
    await renameVenues(tx, roster, seen)
    for (const found of links) await writeLinks(ctx, tx, found)
    const problems = failures.length + ledgerFailures.length
    await recordEvent(ctx, tx, {
      kind: 'sync',
      summary: down
        ? `Sync failed: ${down[0]?.content ?? 'the platform does not answer'}`
        : `Synced ${readings.length} of ${roster.length} machines: ${counts.slots} slots, ${counts.products} goods, ` +
          `${counts.sales} sales in ${windowDays} days`,
      reasoning:
        problems === 0
          ? 'Every machine answered.'
          : messages
              .slice(0, 20)
              .map(({ content }) => content)
              .join('; '),
    })
  })
  if (down) return refuseAll(down)
  const all = [...messages, ...refused]
  return accept({ ...counts, ...(all.length === 0 ? {} : { messages: all }) })
}

/** Of the suppliers whose catalogs the machines' goods were just linked with; out of the cache, so nobody is asked. */
async function refusedProducts({ vendors }: Context, readings: readonly MachineReading[]): Promise<NoteMessage[]> {
  if (readings.length === 0) return []
  const suppliers = vendors.registrations.filter(({ role, status }) => role === 'supply' && status === 'live')
  const messages = suppliers.map(async ({ namespace }) => {
    const vendor = vendors.supply(namespace)
    const catalog = vendor.ok ? await vendor.value.catalog() : undefined
    return catalog?.ok ? refusedWarning(namespace, catalog.refused ?? []) : []
  })
  return (await Promise.all(messages)).flat()
}

async function readShelf(
  { vendors, clock }: Context,
  location: LocationRecord,
): Promise<MachineReading | MachineFailure> {
  const platform = vendors.machine(location.namespace)
  if (!platform.ok) {
    const message = platform.refusal.messages[0]?.content ?? 'no adapter'
    return { location, failure: { ok: false, reason: 'unsupported', message } }
  }
  const readAt = clock.now()
  const answer = await platform.value.inventory(location.id, { live: true })
  return answer.ok ? { location, slots: answer.value, readAt, refused: answer.refused } : { location, failure: answer }
}

async function readLedgers(ctx: Context, windowDays: number): Promise<LedgerFailure[]> {
  const namespaces = ledgerNamespaces(ctx)
  const read = await Promise.all(
    namespaces.map(async (namespace) => ({
      namespace,
      failure: await refreshLedger(ctx, namespace, { windowDays, sweep: true }),
    })),
  )
  return read.flatMap(({ namespace, failure }) => (failure ? [{ namespace, failure }] : []))
}

const EMPTIED: Failure = {
  ok: false,
  reason: 'unknown',
  message: 'the platform lists no goods for a machine that had some; what was known is kept',
}

/** Some platforms answer for machines they do not know with an empty shelf: no reason to forget a full one. */
async function suddenlyEmpty(
  { store }: Context,
  answers: readonly (MachineReading | MachineFailure)[],
): Promise<ReadonlySet<string>> {
  const bare = answers.flatMap((answer) => ('slots' in answer && answer.slots.length === 0 ? [answer.location.id] : []))
  if (bare.length === 0) return new Set()
  const rows = await store.db.selectFrom('slot').select('location').distinct().where('location', 'in', bare).execute()
  return new Set(rows.map(({ location }) => location))
}

/** Found before the transaction in which they are written. */
function linksOf(ctx: Context, readings: readonly MachineReading[]) {
  const byPlatform = Map.groupBy(readings, ({ location }) => location.namespace)
  return Promise.all(
    [...byPlatform].map(([namespace, own]: [Namespace, MachineReading[]]) =>
      findLinks(
        ctx,
        namespace,
        own.flatMap(({ slots }) => slots),
      ),
    ),
  )
}
