/**
 * Loads the planner's input from the store, a few machines at a time, and yields in between so that a long route blocks
 * no other request. Writes nothing; the same store and clock give the same input.
 */
import { addDays, DAY, HOUR, localDay, rfc3339, startOfDay } from '../../../kernel/clock.ts'
import type { LocationId, Namespace, SkuId } from '../../../kernel/ids.ts'
import { type NoteMessage, warning } from '../../../kernel/message.ts'
import { chunk, yieldToEventLoop } from '../../../lib/concurrency.ts'
import type { Queryable } from '../../../store/store.ts'
import { statedLeadDays } from '../../../vendors/registry.ts'
import type { Context } from '../../../context.ts'
import {
  knownDaysOf,
  listLocations,
  listRemovals,
  listSlotStocks,
  loadKnownShelfLives,
} from '../../../route/locations/index.ts'
import type { LocationRecord, SlotStock } from '../../../route/locations/index.ts'
import {
  completeFromOf,
  listLedgerCoverage,
  loadLedgerMachines,
  findNewestCosts,
  findSlotsWithSales,
  loadSalesSince,
} from '../../../route/sales/index.ts'
import type { Coverage, LedgerMachineOf } from '../../../route/sales/index.ts'
import { type ShelfLife, loadPhaseOuts } from '../../../route/skus/index.ts'
import { machineInputs } from '../planner/build-input.ts'
import { TYPICAL_QUANTILE } from '../planner/machine-plan.ts'
import { openWeekdays } from '../planner/demand/calendar.ts'
import { placeOf } from '../planner/trips/places.ts'
import { type MachineInput, type Sales, stockToCountOn } from '../planner/input.ts'
import { measureLeadTime, measureReviewDays, loadSlotRuns } from '../runs/slot-run-records.ts'
import { type Unbought, loadUnbought } from '../runs/purchases/unbought-records.ts'
import { readRunsVersion } from '../runs/records.ts'
import { type BlockedProducts, findBlockedProducts } from './blocked-products.ts'
import { type StockLevels, loadStockLevelsSince } from './stock-levels.ts'

export type PlanDeps = Pick<Context, 'store' | 'clock' | 'config' | 'vendors' | 'readRules'>

/** Machines read between two yields: a few milliseconds of rows. */
const MACHINES_AT_ONCE = 20
/** The same for machines whose long history is read. */
const LONG_HISTORIES_AT_ONCE = 5
/** Days before the window, to know which slots were empty when it began. */
const DAYS_BEFORE_WINDOW = 14
/** When a ledger was not read for this long, the latest days look quieter than they were. */
const STALE_MS = 26 * HOUR

/** What a plan is based on, apart from the machines. */
export type PlanContext = Readonly<Awaited<ReturnType<typeof loadPlanContext>>>

export interface PlanInput extends Pick<PlanContext, 'version' | 'settings' | 'messages'> {
  readonly slots: ReadonlyMap<string, SlotStock>
  /** By slot id: the runs, not placed yet, that cover it. */
  readonly pendingRuns: ReadonlyMap<string, readonly string[]>
  readonly locations: ReadonlyMap<LocationId, LocationRecord>
  readonly blocked: BlockedProducts
}

/** One machine, judged by another number of days. */
export interface PlanScope {
  readonly location: string
  readonly windowDays: number
}

export async function loadPlanContext(ctx: PlanDeps, scope?: PlanScope) {
  const { store, clock, config } = ctx
  const { db } = store
  const now = clock.now()
  const version = await readRunsVersion(db)
  const params = scope ? { ...config.planParams, window_days: scope.windowDays } : config.planParams
  const [leadTime, reviewDays, roster, coverage, machines, shelf, unbought] = await Promise.all([
    measureLeadTime(db, statedLeadDays(ctx.vendors, config.statedLeadDays), now),
    measureReviewDays(db),
    listLocations(db),
    listLedgerCoverage(db),
    loadLedgerMachines(db),
    loadKnownShelfLives(db),
    loadUnbought(db),
  ])
  return {
    /** Version of the runs, read before anything else. */
    version,
    settings: { now, params, leadTime, reviewDays, driving: config.driving },
    roster: scope ? roster.filter(({ id }) => id === scope.location) : roster,
    window: {
      now,
      days: params.window_days + DAYS_BEFORE_WINDOW,
      newSince: now - (params.window_days + DAYS_BEFORE_WINDOW) * DAY,
      completeFrom: now - (params.window_days + 1) * DAY,
      timeZone: config.timeZone,
      coverage: new Map(coverage.map((each) => [each.namespace, each])),
      machines,
      shelfLives: shelf,
      unbought,
      blockedOf: await findBlockedProducts(ctx),
    },
    messages: staleLedgerWarnings(roster, coverage, now, config.timeZone),
  }
}

/**
 * Hands each machine to `onMachine` and keeps none: the sales of a long route would fill a small server's memory. Machines
 * with slots that were hardly in stock, which `onMachine` returns, are read again as far back as the plan looks, where that
 * can tell more. On a route that is looked after they are few.
 */
export async function loadPlanInput(
  { store }: Pick<PlanDeps, 'store'>,
  { version, settings, roster, window, messages }: PlanContext,
  onMachine: (machine: MachineInput) => readonly string[],
): Promise<PlanInput> {
  const slots = new Map<string, SlotStock>()
  const pendingRuns = new Map<string, readonly string[]>()
  for (const part of chunk(roster, MACHINES_AT_ONCE)) {
    const read = await readMachines(store.db, part, window)
    for (const slot of read.slots) slots.set(slot.slotId, slot)
    for (const [slotId, runs] of read.pendingRuns) pendingRuns.set(slotId, runs)
    await yieldToEventLoop()
    const hardlyStocked = new Set(read.machines.flatMap((machine) => onMachine(machine)))
    await yieldToEventLoop()
    const longer = await machinesWithLongerHistory(store.db, part, read.slots, hardlyStocked, window, settings)
    for (const again of chunk(longer, LONG_HISTORIES_AT_ONCE)) {
      const { machines } = await readMachines(store.db, again, longHistoryOf(window, settings))
      await yieldToEventLoop()
      for (const machine of machines) onMachine(machine)
      await yieldToEventLoop()
    }
  }
  const locations = new Map(roster.map((location) => [location.id, location]))
  return { version, settings, slots, pendingRuns, locations, messages, blocked: await window.blockedOf([]) }
}

type LookBack = Pick<PlanContext['settings'], 'now' | 'params'>

const longHistoryOf = (window: HistoryWindow, { now, params: { look_back_days } }: LookBack): HistoryWindow => ({
  ...window,
  days: look_back_days,
  completeFrom: now - look_back_days * DAY,
})

/** A slot that sold before the history that was read, or has been there for longer and is not empty: older days count. */
async function machinesWithLongerHistory(
  db: Queryable,
  roster: readonly LocationRecord[],
  slots: readonly SlotStock[],
  hardlyStocked: ReadonlySet<string>,
  { days }: HistoryWindow,
  { now, params: { look_back_days } }: LookBack,
): Promise<LocationRecord[]> {
  if (hardlyStocked.size === 0 || look_back_days <= days) return []
  const since = now - days * DAY
  const found = slots.filter(({ slotId }) => hardlyStocked.has(slotId))
  const sold = await findSlotsWithSales(db, found, now - look_back_days * DAY, since)
  const machines = new Set(
    found.flatMap(({ slotId, location, stock, firstSeenAt }) =>
      sold.has(slotId) || ((stock ?? 0) > 0 && firstSeenAt < since) ? [location] : [],
    ),
  )
  return roster.filter(({ id }) => machines.has(id))
}

export interface HistoryWindow {
  readonly now: number
  /** How far back. */
  readonly days: number
  /** Machines registered since then are new; undefined: since the history begins. */
  readonly newSince?: number
  /** From here on the ledger should be complete; where it is not, the machine's `ledgerFrom` says since when it is. */
  readonly completeFrom: number
  /** Of machines that have none of their own. */
  readonly timeZone: string
  readonly coverage: ReadonlyMap<Namespace, Coverage>
  readonly machines: LedgerMachineOf
  /** By product: how long it may stay in a machine. Only a plan needs it. */
  readonly shelfLives?: ReadonlyMap<SkuId, ShelfLife>
  /** Only a plan needs it, too. Read once: what was not bought stays so. */
  readonly unbought?: Unbought
  /** Which products no run may take. */
  readonly blockedOf?: (products: readonly SlotStock[]) => Promise<BlockedProducts>
}

export async function readMachines(
  db: Queryable,
  roster: readonly LocationRecord[],
  { now, days, completeFrom, coverage, newSince, ...window }: HistoryWindow,
) {
  const ids = roster.map(({ id }) => id)
  const since = now - days * DAY
  const zoneOf = (machine: LocationRecord) => window.machines(machine).timeZone ?? window.timeZone
  /** By zone: where the history begins. */
  const firstDays = new Map(
    [...new Set(roster.map(zoneOf))].map((zone) => [zone, startOfDay(addDays(localDay(now, zone), -days), zone)]),
  )
  // Runs before stock: a delivery booked between the two reads then counts as in transit, never as not ordered.
  const { runs, pendingRuns, paidCosts } = await loadSlotRuns(db, ids, since, window.unbought)
  await yieldToEventLoop()
  const slots = await listSlotStocks(db, ids)
  const blocked = await window.blockedOf?.(slots)
  await yieldToEventLoop()
  const sales = await loadSalesSince(db, slots, Math.min(...firstDays.values()))
  await yieldToEventLoop()
  const isPhasedOut = await loadPhaseOuts(db)
  const levels = await loadStockLevelsSince(db, slots, since)
  const removals = Map.groupBy(await listRemovals(db, ids, since), ({ slotId }) => slotId)
  await yieldToEventLoop()
  const costs = await findNewestCosts(
    db,
    slots.map(({ skuId }) => skuId),
  )
  await yieldToEventLoop()
  const registered = new Map(roster.map(({ id, registeredAt }) => [id, registeredAt]))
  const firstSales = new Map<LocationId, number>()
  for (const { location, slotId } of slots)
    firstSales.set(location, Math.min(firstSales.get(location) ?? Infinity, firstSale(sales, slotId)))
  const registeredAt = ({ location }: SlotStock) => registered.get(location) ?? 0
  // The ledger is older than our registration. A slot found with its machine is as old as the machine's first sale, so
  // that one without sales counts as slow, not as new; a slot that was added later is as old as its own first sale.
  const cameWithMachine = (slot: SlotStock) => slot.firstSeenAt <= registeredAt(slot) + CAME_WITH_MACHINE_MS
  // After a full window the slots of a machine have a history of their own, so their capacity need not be guessed.
  const isNewlyRegistered = (slot: SlotStock) => registeredAt(slot) > (newSince ?? since)
  const neighbours = neighbourLevels(slots.filter(isNewlyRegistered), levels)
  const machines = machineInputs({
    machines: roster.map((machine) => ({
      location: machine.id,
      zone: { timeZone: zoneOf(machine) },
      knownDays: knownDaysOf(machine.calendar),
      openWeekdays: openWeekdays(machine.hours),
      historyFrom: firstDays.get(zoneOf(machine)),
      place: placeOf(machine.id, { ...machine.profile, area: machine.area, geo: machine.geo }),
      ledgerFrom: laterOf(
        platformLedgerFrom(coverage.get(machine.namespace), completeFrom, now),
        machineLedgerFrom(window.machines(machine).completeFrom, completeFrom),
      ),
      ledgerTo: window.machines(machine).completeTo,
    })),
    slots: slots.map((slot) => ({
      slotId: slot.slotId,
      location: slot.location,
      sku: slot.skuId,
      priceFen: slot.price,
      costFen: costs.get(slot.skuId) ?? knownCost(paidCosts.get(slot.slotId), slot.price),
      shelfDays: window.shelfLives?.get(slot.skuId)?.days,
      stock: slot.stock,
      capacity: slot.capacity,
      plausibleMax: slot.booking?.plausibleMax,
      par: slot.par ?? undefined,
      locked: slot.locked,
      isPhasedOut: isPhasedOut(slot.skuId, slot.location),
      blocked: blocked?.get(slot.skuId)?.code,
      recordedFrom: slot.firstSeenAt,
      neighbourLevel: cameWithMachine(slot) && isNewlyRegistered(slot) ? neighbours.get(slot.location) : undefined,
      firstSeenAt: Math.min(
        slot.firstSeenAt,
        cameWithMachine(slot) ? (firstSales.get(slot.location) ?? Infinity) : firstSale(sales, slot.slotId),
      ),
    })),
    sales,
    runs,
    removals,
    readings: (slotId) => levels.get(slotId)?.readings,
  })
  return { machines, slots, pendingRuns }
}

/** Slots first seen this soon after their machine was registered were in it before. */
const CAME_WITH_MACHINE_MS = DAY

/** A cost that equals the price is unknown. */
const knownCost = (cost: number | undefined, price: number): number | undefined => (cost === price ? undefined : cost)

const firstSale = (sales: ReadonlyMap<string, Sales>, slotId: string): number => sales.get(slotId)?.at[0] ?? Infinity

/** By machine: the level of a well-filled slot, from the highest level of each. */
function neighbourLevels(
  slots: readonly SlotStock[],
  levels: ReadonlyMap<string, StockLevels>,
): ReadonlyMap<LocationId, number> {
  const byMachine = Map.groupBy(slots, ({ location }) => location)
  return new Map(
    [...byMachine].map(([location, own]) => {
      const highest = own
        .flatMap((slot) => {
          const highestRead = levels.get(slot.slotId)?.highestRead ?? slot.stock
          if (highestRead === null) return []
          return stockToCountOn(highestRead, { capacity: slot.capacity, plausibleMax: slot.booking?.plausibleMax })
        })
        .toSorted((a, b) => a - b)
      return [location, highest[Math.floor((highest.length - 1) * TYPICAL_QUANTILE)] ?? 0]
    }),
  )
}

const laterOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

/** Null where the machine's sales are known since `from` or longer. */
const machineLedgerFrom = (completeFrom: number | undefined, from: number): number | null =>
  completeFrom !== undefined && completeFrom > from ? completeFrom : null

/** A ledger that was never read covers nothing. */
const platformLedgerFrom = (coverage: Coverage | undefined, from: number, now: number): number | null =>
  coverage ? completeFromOf(coverage, from) : now

/** Only platforms that have a machine on the roster. */
function staleLedgerWarnings(
  roster: readonly LocationRecord[],
  coverage: readonly Coverage[],
  now: number,
  timeZone: string,
): NoteMessage[] {
  const used = new Set(roster.map(({ namespace }) => namespace))
  return coverage.flatMap(({ namespace, to }) => {
    if (!used.has(namespace) || now - to <= STALE_MS) return []
    const until = rfc3339(to, timeZone)
    return [
      warning('sync_problem', `Sales of ${namespace} are known only up to ${until}`, undefined, { namespace, until }),
    ]
  })
}
