/**
 * One look at the store, turned into the planner's plain state. A few machines at a time, giving way in between: a long
 * route never keeps anyone waiting. Nothing is written, and the same store and clock give the same state.
 */
import { addDays, DAY, HOUR, localDay, rfc3339, startOfDay } from '../../../kernel/clock.ts'
import type { LocationId, Namespace } from '../../../kernel/ids.ts'
import { warning } from '../../../kernel/message.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Context } from '../../context.ts'
import { yieldToEventLoop, chunk } from '../../../lib/concurrency.ts'
import { completeSince, ledgerCoverage } from '../../sales/index.ts'
import type { Coverage } from '../../sales/index.ts'
import { listLocations } from '../../locations/index.ts'
import type { LocationRecord } from '../../locations/index.ts'
import { machinesOf } from '../planner/build-input.ts'
import { levelsBySlot, salesBySlot } from './observations.ts'
import type { Levels } from './observations.ts'
import { runVersion } from '../runs/records.ts'
import { measuredLeadTime, measuredReview, slotRuns } from '../runs/run-history.ts'
import { planSlots } from './records.ts'
import type { PlanSlot } from './records.ts'
import type { MachineInput, RouteTerms, Sales } from '../planner/input.ts'
import { shelvesOf } from './decode-series.ts'

export type GatherNeeds = Pick<Context, 'store' | 'clock' | 'config'>

/** Machines read at once: a few milliseconds of rows. */
const MACHINES_AT_ONCE = 20
/** Before the window, for what was empty when it began. */
const RUN_UP_DAYS = 14
/** A ledger not read for this long leaves the latest days looking quieter than they were. */
const STALE_MS = 26 * HOUR

/** What a plan goes by, before any machine is looked at. */
export interface Route {
  /** Of the runs, taken before anything else was read. */
  readonly version: number
  readonly terms: RouteTerms
  readonly roster: readonly LocationRecord[]
  readonly looking: HistoryWindow
  readonly messages: readonly NoteMessage[]
}

export interface Gathered extends Pick<Route, 'version' | 'terms' | 'messages'> {
  readonly slots: ReadonlyMap<string, PlanSlot>
  readonly waiting: ReadonlyMap<string, readonly string[]>
  readonly locations: ReadonlyMap<LocationId, LocationRecord>
}

export async function planContext({ store, clock, config }: GatherNeeds): Promise<Route> {
  const { db } = store
  const now = clock.now()
  const version = await runVersion(db)
  const params = config.planParams
  const [leadTime, reviewDays, roster, coverage] = await Promise.all([
    measuredLeadTime(db, config.statedLeadDays, now),
    measuredReview(db),
    listLocations(db),
    ledgerCoverage(db),
  ])
  return {
    version,
    terms: { now, params, leadTime, reviewDays },
    roster,
    looking: {
      now,
      days: params.window_days + RUN_UP_DAYS,
      completeFrom: now - (params.window_days + 1) * DAY,
      timeZone: config.timeZone,
      coverage: new Map(coverage.map((each) => [each.namespace, each])),
    },
    messages: staleness(roster, coverage, now, config.timeZone),
  }
}

/** Each machine is shown once and not kept: all that the slots of a long route sold would fill a small service's memory. */
export async function loadPlanInput(
  { store }: Pick<GatherNeeds, 'store'>,
  { version, terms, roster, looking, messages }: Route,
  show: (machine: MachineInput) => void,
): Promise<Gathered> {
  const slots = new Map<string, PlanSlot>()
  const waiting = new Map<string, readonly string[]>()
  for (const part of chunk(roster, MACHINES_AT_ONCE)) {
    const read = await readMachines(store.db, part, looking)
    for (const slot of read.slots) slots.set(slot.slotId, slot)
    for (const [slotId, runs] of read.waiting) waiting.set(slotId, runs)
    await yieldToEventLoop()
    for (const machine of read.machines) show(machine)
    await yieldToEventLoop()
  }
  const locations = new Map(roster.map((location) => [location.id, location]))
  return { version, terms, slots, waiting, locations, messages }
}

export interface HistoryWindow {
  readonly now: number
  /** How far back. */
  readonly days: number
  /** From here on the ledger should be complete; where it is not, the machine says since when it is. */
  readonly completeFrom: number
  readonly timeZone: string
  readonly coverage: ReadonlyMap<Namespace, Coverage>
}

export interface ReadMachines {
  readonly machines: readonly MachineInput[]
  readonly slots: readonly PlanSlot[]
  readonly waiting: ReadonlyMap<string, readonly string[]>
}

export async function readMachines(
  db: Queryable,
  roster: readonly LocationRecord[],
  { now, days, completeFrom, timeZone, coverage }: HistoryWindow,
): Promise<ReadMachines> {
  const ids = roster.map(({ id }) => id)
  const since = now - days * DAY
  // Runs before stock: a delivery booked between the two reads then counts as still on its way, never as not ordered.
  const { runs, waiting } = await slotRuns(db, ids, since)
  await yieldToEventLoop()
  const slots = await planSlots(db, ids)
  await yieldToEventLoop()
  const shelves = shelvesOf(ids, slots)
  const sales = await salesBySlot(db, shelves, startOfDay(addDays(localDay(now, timeZone), -days), timeZone))
  await yieldToEventLoop()
  const levels = await levelsBySlot(db, shelves, since)
  await yieldToEventLoop()
  const registered = new Map(roster.map(({ id, registeredAt }) => [id, registeredAt]))
  const born = new Map<LocationId, number>()
  for (const { location, slotId } of slots)
    born.set(location, Math.min(born.get(location) ?? Infinity, firstSale(sales, slotId)))
  const registeredAt = ({ location }: PlanSlot) => registered.get(location) ?? 0
  // The ledger remembers more than we do. A slot found with its machine is as old as the machine's first sale, so that
  // one that never sold counts as slow and not as new; a slot that came later is as old as its own.
  const wasFound = (slot: PlanSlot) => slot.firstSeenAt <= registeredAt(slot) + FOUND_MS
  // Once we have watched a machine for as long as a plan looks back, its slots speak for themselves.
  const isYoung = (slot: PlanSlot) => registeredAt(slot) > since
  const takenOver = (slot: PlanSlot) => wasFound(slot) && isYoung(slot)
  const neighbours = neighbourLevels(slots.filter(isYoung), levels)
  const machines = machinesOf({
    machines: roster.map(({ id, namespace }) => ({
      location: id,
      zone: { timeZone },
      ledgerFrom: ledgerFrom(coverage.get(namespace), completeFrom, now),
    })),
    slots: slots.map((slot) => ({
      slotId: slot.slotId,
      location: slot.location,
      sku: slot.skuId,
      priceFen: slot.price,
      stock: slot.stock,
      capacity: slot.capacity,
      locked: slot.locked,
      recordedFrom: slot.firstSeenAt,
      neighbourLevel: takenOver(slot) ? neighbours.get(slot.location) : undefined,
      firstSeen: Math.min(
        slot.firstSeenAt,
        wasFound(slot) ? (born.get(slot.location) ?? Infinity) : firstSale(sales, slot.slotId),
      ),
    })),
    sales,
    runs,
    readings: (slotId) => levels.get(slotId)?.readings,
  })
  return { machines, slots, waiting }
}

/** Slots seen this soon after their machine was registered were there when we came. */
const FOUND_MS = DAY

const firstSale = (sales: ReadonlyMap<string, Sales>, slotId: string): number => sales.get(slotId)?.at[0] ?? Infinity

/** Three slots in four of a machine were never seen above this. */
const TYPICAL = 0.75

/** By machine: the level a well-filled slot of it has, from the highest each was seen at. */
function neighbourLevels(
  slots: readonly PlanSlot[],
  levels: ReadonlyMap<string, Levels>,
): ReadonlyMap<LocationId, number> {
  const byMachine = Map.groupBy(slots, ({ location }) => location)
  return new Map(
    [...byMachine].map(([location, own]) => {
      const highest = own.map(({ slotId, stock }) => levels.get(slotId)?.highest ?? stock).toSorted((a, b) => a - b)
      return [location, highest[Math.floor((highest.length - 1) * TYPICAL)] ?? 0]
    }),
  )
}

/** A ledger nobody has read covers nothing. */
const ledgerFrom = (coverage: Coverage | undefined, from: number, now: number): number | null =>
  coverage ? completeSince(coverage, from) : now

/** Only platforms that have a machine on the roster. */
function staleness(
  roster: readonly LocationRecord[],
  coverage: readonly Coverage[],
  now: number,
  timeZone: string,
): NoteMessage[] {
  const used = new Set(roster.map(({ namespace }) => namespace))
  return coverage.flatMap(({ namespace, to }) =>
    used.has(namespace) && now - to > STALE_MS
      ? [warning('sync_problem', `sales of ${namespace} are known only up to ${rfc3339(to, timeZone)}`)]
      : [],
  )
}
