/**
 * Reads inventory and sales of the machines on the roster. Timer, request and restart use this one path; the roster is
 * read here and never passed in. Everything is read first and then written in small transactions. A machine that failed
 * keeps its last known data, with the reason.
 */
import { SALES_WINDOW_DAYS_DEFAULT } from '../../../contract/limits.ts'
import type { SyncReport } from '../../../contract/shapes/location.ts'
import { addDays, DAY, localDay, SECOND } from '../../../kernel/clock.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll, refuseBusy } from '../../../kernel/outcome.ts'
import { chunk, mapConcurrent, yieldToEventLoop } from '../../../lib/concurrency.ts'
import { waitForLease } from '../../../store/lease.ts'
import type { Failure } from '../../../vendors/contract.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { loadLedgerMachines, refreshLedgers } from '../../sales/index.ts'
import { type SkuContext, findLinks, writeLinks } from '../../skus/index.ts'
import { type LocationRecord, listLocations } from '../records.ts'
import { listUnreadableSales } from '../unreadable-row-records.ts'
import { unreadableWarning, syncCompleted, syncFailed } from '../texts.ts'
import {
  countSynced,
  findMachinesWithSales,
  listLocationsAwaitingSync,
  findLocationsWithSlots,
  saveSyncProblem,
  updateVenueName,
} from './records.ts'
import { type MachineInventory, replaceSlots } from './replace-slots.ts'
import { type MachineFailure, platformFailure, loadSyncMessages } from './sync-messages.ts'
import { readPlatformDetails, savePlatformDetails } from './platform-details.ts'

/** Machines read concurrently. */
export const MACHINES_AT_ONCE = 8
const MACHINES_PER_TRANSACTION = 20
const LEASE_WAIT_MS = 30 * SECOND
const LEASE = 'sync'

export interface SyncOptions {
  readonly windowDays?: number | undefined
  /** Only machines that wait for their first sync. */
  readonly newOnly?: boolean
}

/** One at a time over all instances; a request waits at most 30 s for a running sync. */
export async function syncLocations(
  ctx: SkuContext,
  options: SyncOptions = {},
): Promise<Outcome<Omit<SyncReport, 'ucp'>>> {
  const lease = await waitForLease(ctx, LEASE, LEASE_WAIT_MS)
  if (!lease) return refuseBusy('Another sync is still running', LEASE_WAIT_MS / SECOND)
  try {
    return await sync(ctx, options)
  } finally {
    await lease.release()
  }
}

async function sync(ctx: SkuContext, options: SyncOptions): Promise<Outcome<Omit<SyncReport, 'ucp'>>> {
  const { store, clock, config } = ctx
  const windowDays = options.windowDays ?? SALES_WINDOW_DAYS_DEFAULT
  const roster = options.newOnly ? await listLocationsAwaitingSync(store.db) : await listLocations(store.db)
  // Another sync read them while this one waited.
  if (options.newOnly && roster.length === 0) return accept({ locations: 0, products: 0, slots: 0, sales: 0 })
  const [machines, ledgerFailures, platformDetails] = await Promise.all([
    mapConcurrent(MACHINES_AT_ONCE, roster, (location) => readMachine(ctx, location)),
    roster.length === 0 ? [] : refreshLedgers(ctx, { windowDays, rereadWindow: true }),
    readPlatformDetails(ctx, roster),
  ])
  const unexpectedlyEmpty = await findUnexpectedlyEmpty(ctx, machines)
  const inventories = machines
    .filter((machine) => 'slots' in machine)
    .filter(({ location }) => !unexpectedlyEmpty.has(location.id))
  const failures: MachineFailure[] = [
    ...machines.filter((machine) => 'failure' in machine),
    ...roster.filter(({ id }) => unexpectedlyEmpty.has(id)).map((location) => ({ location, failure: EMPTY_INVENTORY })),
  ]

  for (const part of chunk(inventories, MACHINES_PER_TRANSACTION)) {
    await store.transaction((tx) => replaceSlots(tx, store.kind, part, clock.now()))
    await yieldToEventLoop()
  }
  await savePlatformDetails(ctx, platformDetails)
  const links = await findLinksOf(ctx, inventories)
  const windowStart = clock.now() - windowDays * DAY
  const machinesWithSales = await findMachinesWithSales(store.db, roster, windowStart)
  const ledgerMachineOf = await loadLedgerMachines(store.db)
  const messages = await loadSyncMessages(store.db, {
    failures,
    ledgerFailures,
    // Where the platform lists no sales of the whole window, a missing sale proves nothing.
    withoutSales: roster.filter(
      (machine) => !machinesWithSales.has(machine.id) && (ledgerMachineOf(machine).completeFrom ?? 0) <= windowStart,
    ),
    windowDays,
    now: clock.now(),
    timeZone: config.timeZone,
  })
  // Not part of this sync's event: each of these problems has an event of its own.
  const unreadable = [
    ...inventories.flatMap(({ location, unreadable }) => unreadableWarning(location.id, unreadable)),
    ...[...(await listUnreadableSales(store.db, windowStart))].flatMap(([namespace, rows]) =>
      unreadableWarning(namespace, rows),
    ),
    ...(await readUnreadableProducts(ctx, inventories)),
  ]
  const counts = await countSynced(store.db, addDays(localDay(clock.now(), config.timeZone), -windowDays))
  const platformErrors = platformFailure(roster, failures, ledgerFailures)

  const failureOf = new Map(failures.map(({ location, failure }) => [location.id, failure]))
  await store.transaction(async (tx) => {
    // In the order of their ids, as every transaction that locks several machines.
    for (const machine of roster.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const failure = failureOf.get(machine.id)
      if (failure) await saveSyncProblem(tx, machine.id, failure)
      await updateVenueName(tx, machine, machinesWithSales)
    }
    for (const found of links) await writeLinks(ctx, tx, found)
    const problems = failures.length + ledgerFailures.length === 0 ? [] : messages
    const totals = { ...counts, synced: inventories.length, machines: roster.length, days: windowDays }
    await recordEvent(
      ctx,
      tx,
      platformErrors
        ? syncFailed(platformErrors[0]?.content ?? 'the platform does not answer', problems)
        : syncCompleted(totals, problems),
    )
  })
  if (platformErrors) return refuseAll(platformErrors)
  const all = [...messages, ...unreadable]
  return accept({ ...counts, ...(all.length === 0 ? {} : { messages: all }) })
}

/** Unreadable products of the suppliers whose catalogs were just used for linking, so they come out of the cache. */
async function readUnreadableProducts(
  { vendors }: SkuContext,
  inventories: readonly MachineInventory[],
): Promise<NoteMessage[]> {
  if (inventories.length === 0) return []
  const suppliers = vendors.registrations.filter(({ role, status }) => role === 'supply' && status === 'live')
  const messages = suppliers.map(async ({ namespace }) => {
    const vendor = vendors.supply(namespace)
    const catalog = vendor.ok ? await vendor.value.catalog() : undefined
    return catalog?.ok ? unreadableWarning(namespace, catalog.unreadable) : []
  })
  return (await Promise.all(messages)).flat()
}

async function readMachine(
  { vendors, clock }: SkuContext,
  location: LocationRecord,
): Promise<MachineInventory | MachineFailure> {
  const platform = vendors.machine(location.namespace)
  if (!platform.ok) {
    const message = platform.refusal.messages[0]?.content ?? 'no adapter'
    return { location, failure: { ok: false, reason: 'unsupported', message } }
  }
  const readAt = clock.now()
  const inventory = await platform.value.inventory(location.id, { live: true })
  return inventory.ok
    ? {
        location,
        slots: inventory.value,
        readAt,
        canSeeOnline: platform.value.canSeeOnline !== false,
        unreadable: inventory.unreadable,
      }
    : { location, failure: inventory }
}

const EMPTY_INVENTORY: Failure = {
  ok: false,
  reason: 'unknown',
  message: 'the platform reports no products for a machine that had some; its last known slots are kept',
}

/** Some platforms answer with an empty inventory for machines they do not know: no reason to delete known slots. */
async function findUnexpectedlyEmpty(
  { store }: SkuContext,
  machines: readonly (MachineInventory | MachineFailure)[],
): Promise<ReadonlySet<string>> {
  const empty = machines.flatMap((machine) =>
    'slots' in machine && machine.slots.length === 0 ? [machine.location.id] : [],
  )
  return findLocationsWithSlots(store.db, empty)
}

/** Found before the transaction in which they are written. */
function findLinksOf(ctx: SkuContext, inventories: readonly MachineInventory[]) {
  const byPlatform = Map.groupBy(inventories, ({ location }) => location.namespace)
  return Promise.all(
    [...byPlatform].map(([namespace, own]) =>
      findLinks(
        ctx,
        namespace,
        own.flatMap(({ slots }) => slots),
      ),
    ),
  )
}
