/** A plan on the wire. Entries are serialized a few at a time: a long plan in one go would block other requests. */
import type { Reply } from '../../../contract/handlers.ts'
import { serializedList, serializedReply } from '../../../contract/json-stream.ts'
import type { PlanSummary } from '../../../contract/shapes/planning/summary.ts'
import type { PlanEntry as WireEntry, ReplenishmentPlan, TakeBack } from '../../../contract/shapes/replenishment.ts'
import type { Config } from '../../../config.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/currency.ts'
import { type NoteMessage, info, warning } from '../../../kernel/message.ts'
import type { LocationId } from '../../../kernel/ids.ts'
import { count, withId } from '../../../kernel/text.ts'
import { planParamsView } from '../../../kernel/plan-params.ts'
import { chunk, yieldToEventLoop } from '../../../lib/concurrency.ts'
import { type SlotStock, bookingView } from '../../../route/locations/index.ts'
import { type PlanEntry, roomAtArrival } from '../planner/machine-plan.ts'
import type { Plan } from '../planner/plan.ts'
import type { Visit } from '../planner/trips/visit.ts'
import type { PlanInput } from './load-input.ts'
import { type NextDates, countWaitingSlots, dateView } from './next-due.ts'
import type { PlanPage } from './page.ts'
import type { PlanRounding } from './rounding.ts'
import { type MachineStock, machineStocks } from './summary.ts'

/** How times and prices of a deployment are written. */
type Locale = Pick<Config, 'timeZone' | 'currency'>

/** Entries serialized between two yields. */
const ENTRIES_AT_ONCE = 500
/** Machines named in a warning; there may be thousands. */
const MACHINES_NAMED = 5

/** By slot id. */
export type SlotPositions = ReadonlyMap<string, Pick<WireEntry, 'position' | 'lane'>>

export interface PlanView {
  readonly input: PlanInput
  readonly plan: Plan
  readonly rounding: PlanRounding
  /** Undefined where they were not asked for. */
  readonly positions: SlotPositions | undefined
  readonly takeBacks: readonly TakeBack[]
  readonly locale: Locale
  /** When machines that wait will be due; undefined: of too many. */
  readonly nextDates: NextDates | undefined
  /** The part that was asked for; undefined: the whole plan. */
  readonly page: PlanPage | undefined
  readonly summary: PlanSummary | undefined
  /** With the stock of each machine. */
  readonly withStocks: boolean
}

export async function planReply(contents: PlanView): Promise<Reply<'getPlan'>> {
  const { input, plan, rounding, positions, takeBacks, locale, page, nextDates, summary } = contents
  const { slots, pendingRuns } = input
  const entries: Buffer[] = []
  for (const part of chunk(page?.entries ?? plan.plans, ENTRIES_AT_ONCE)) {
    const views = part.map((entry) => {
      const slot = slots.get(entry.slotId)!
      const rounded = entry.recommendation.action === 'order' ? rounding.byProduct.get(slot.skuId) : undefined
      const given = rounding.fromStoreroom.get(entry.slotId)
      const view = entryView(entry, slot, pendingRuns.get(entry.slotId)?.[0], locale)
      return {
        ...view,
        ...positions?.get(entry.slotId),
        ...(rounded ? { rounding: rounded } : {}),
        ...(given && { from_storeroom: given }),
      }
    })
    entries.push(Buffer.from(JSON.stringify(views)).subarray(1, -1))
    await yieldToEventLoop()
  }
  const before: Pick<ReplenishmentPlan, 'strategy_version' | 'params' | 'lead_time'> = {
    strategy_version: plan.strategyVersion,
    params: planParamsView(plan.params, input.settings.reviewDays),
    lead_time: plan.leadTime,
  }
  const unknownSlots = new Map<string, number>()
  for (const { location } of plan.unknown) unknownSlots.set(location, (unknownSlots.get(location) ?? 0) + 1)
  const stockView = (stock: MachineStock | undefined) => (stock ? { stock } : {})
  const unknownView = (slots: number | undefined) => (slots === undefined ? {} : { unknown_slots: slots })
  const messages = [
    ...unknownStockWarnings(plan, input),
    ...truncationWarnings(plan, input),
    ...input.messages,
    ...deadStockInfo(plan, input),
  ]
  const waits = countWaitingSlots(plan.plans)
  const stocks = contents.withStocks ? machineStocks(plan.plans, input, rounding.fromStoreroom) : undefined
  const after: Pick<ReplenishmentPlan, 'visits' | 'summary' | 'take_backs' | 'messages' | 'pagination'> = {
    ...(page?.pagination ? { pagination: page.pagination } : {}),
    ...(summary ? { summary } : {}),
    visits: (page?.visits ?? plan.visits).map(({ location, site, visit }) => ({
      location,
      go: visit.go,
      risk_share: riskShareView(visit),
      load: visit.load,
      ...amountsView(visit),
      ...(visit.rhythmDays === null ? {} : { rhythm_days: visit.rhythmDays }),
      why: visit.why,
      site,
      ...unknownView(unknownSlots.get(location)),
      empty: waits.get(location)?.empty ?? 0,
      at_risk: waits.get(location)?.atRisk ?? 0,
      ...stockView(stocks?.get(location)),
      ...nextDueView(nextDates?.get(location)),
    })),
    ...(takeBacks.length > 0 ? { take_backs: [...takeBacks] } : {}),
    ...(messages.length > 0 ? { messages } : {}),
  }
  return serializedReply(serializedList('plans', entries, { before, after }))
}

const nextDueView = (day: number | null | undefined) =>
  day === undefined ? {} : { next_due_on: day === null ? null : dateView(day) }

export const riskShareView = ({ riskShare }: Visit): number => Math.round(riskShare * 1e4) / 1e4

/** The loss of waiting, and from which loss a visit is worth it, where the rule knows them. */
export const amountsView = ({ lossByWaitingFen, visitThresholdFen }: Visit) => ({
  ...(lossByWaitingFen === null ? {} : { waiting: Math.round(lossByWaitingFen) }),
  ...(visitThresholdFen === null || !Number.isFinite(visitThresholdFen)
    ? {}
    : { worth: Math.round(visitThresholdFen) }),
})

export const demandView = (demand: PlanEntry['demand']): WireEntry['demand'] => ({
  daily_rate: demand.dailyRate,
  naive_daily_rate: demand.naiveDailyRate,
  available_days: demand.availableDays,
  empty_days: demand.emptyDays,
  closed_days: demand.closedDays,
  measured: demand.measured,
  ...(demand.earlierDays > 0 ? { earlier_days: demand.earlierDays } : {}),
})

function entryView(
  entry: PlanEntry,
  slot: SlotStock,
  pendingRun: string | undefined,
  { timeZone, currency }: Locale,
): WireEntry {
  const { demand, basis, recommendation, daysOfCover, stockoutAt, emptySince } = entry
  const { action, quantity, because } = recommendation
  return {
    slot_id: entry.slotId,
    location: entry.location,
    item: { id: slot.skuId, title: slot.title },
    stock: entry.stock,
    ...(slot.stockSource === 'kept' ? { stock_source: slot.stockSource } : {}),
    ...bookingView(slot.booking, timeZone),
    ...(slot.reportedStock === undefined ? {} : { reported_stock: slot.reportedStock }),
    capacity: slot.capacity,
    ...(slot.par === null ? {} : { par: slot.par }),
    price: money(slot.price, currency),
    demand: demandView(demand),
    days_of_cover: daysOfCover,
    stockout_at: stockoutAt === null ? null : rfc3339(stockoutAt, timeZone),
    ...(emptySince === null ? {} : { empty_since: rfc3339(emptySince, timeZone) }),
    at_risk: basis.atRisk,
    target: Math.round(basis.target * 100) / 100,
    recommendation: {
      action,
      ...(quantity === undefined ? {} : { quantity }),
      ...(because === undefined ? {} : { because }),
    },
    ...choiceView(entry, slot.capacity),
    ...(basis.unsoldDays === undefined ? {} : { unsold_days: basis.unsoldDays }),
    ...(pendingRun === undefined ? {} : { pending_run: pendingRun }),
  }
}

/** What a person may choose for a slot that can be ordered for. */
function choiceView(entry: PlanEntry, capacity: number | null): Pick<WireEntry, 'if_visited' | 'room'> {
  const { action, because } = entry.recommendation
  const { basis } = entry
  if (because !== undefined || action === 'locked' || action === 'in_transit' || action === 'phase_out') return {}
  const room = roomAtArrival(entry, capacity)
  return {
    ...(action === 'order' || basis.unitsIfVisited === 0 ? {} : { if_visited: basis.unitsIfVisited }),
    ...(room === null ? {} : { room }),
  }
}

/** Slots that were neither counted nor reported are not planned: an unknown stock is not an empty slot. */
export function unknownStockWarnings({ unknown }: Pick<Plan, 'unknown'>, names: MachineNames): NoteMessage[] {
  if (unknown.length === 0) return []
  const machines = [...new Set(unknown.map(({ location }) => location))]
  const first = nameFirstMachines(machines, names)
  return [
    warning(
      'stock_unknown',
      `Left out because their stock is unknown: ${count(unknown.length, 'slot')} of ${first.text}. Count them to include them.`,
      undefined,
      { slots: unknown.length, ...first.params },
    ),
  ]
}

/** Slots with stock that nobody buys. */
function deadStockInfo({ plans }: Pick<Plan, 'plans'>, names: MachineNames): NoteMessage[] {
  const dead = plans.filter(({ basis }) => basis.unsoldDays !== undefined)
  if (dead.length === 0) return []
  const units = dead.reduce((total, { stock }) => total + stock, 0)
  const first = nameFirstMachines([...new Set(dead.map(({ location }) => location))], names)
  return [
    info(
      'dead_stock',
      `Nobody bought anything from ${count(dead.length, 'slot')} with ${count(units, 'unit')} in three weeks in stock or longer: ${first.text}. They are not topped up.`,
      undefined,
      { slots: dead.length, units, ...first.params },
    ),
  ]
}

export type MachineNames = Pick<PlanInput, 'locations'>

/** The first few machines, and how many more there are. */
export function nameFirstMachines(ids: readonly string[], { locations }: MachineNames) {
  const more = Math.max(0, ids.length - MACHINES_NAMED)
  const shown = ids.slice(0, MACHINES_NAMED).map((id) => ({ id, name: locations.get(id as LocationId)?.name }))
  return {
    text: `${shown.map(({ id, name }) => withId(name, id)).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    params: { machines: shown.map(({ id, name }) => name ?? id).join(', '), ...(more > 0 ? { more } : {}) },
  }
}

/** One warning for all machines with the same number of complete days. */
function truncationWarnings({ truncated, params: { window_days } }: Plan, names: MachineNames): NoteMessage[] {
  const byDays = Map.groupBy(truncated, ({ windowDays }) => windowDays)
  return [...byDays].map(([days, machines]) => {
    const { text } = nameFirstMachines(
      machines.map(({ location }) => location),
      names,
    )
    return warning(
      'history_truncated',
      `Only ${days} of ${window_days} days of sales are complete for ${text}`,
      undefined,
      { days, window_days, machines: machines.length },
    )
  })
}
