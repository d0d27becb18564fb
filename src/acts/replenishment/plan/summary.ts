/** The plan in figures: how many slots are empty, low, coming or unknown, the first of each kind, and the stock of machines. Pure. */
import type { AttentionSlot, PlanSummary } from '../../../contract/shapes/planning/summary.ts'
import type { Config } from '../../../config.ts'
import { money } from '../../../kernel/currency.ts'
import type { LocationId } from '../../../kernel/ids.ts'
import { stockState } from '../../../kernel/stock-state.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import type { Plan } from '../planner/plan.ts'
import type { PlanInput } from './load-input.ts'

/** Of each kind. */
const SHOWN = 4

export interface BringingRun {
  readonly id: string
  /** Placing a run with connected suppliers only opens its purchases: until one is ordered, nothing is on its way. */
  readonly isOrdered: boolean
}

interface Parts {
  readonly plan: Pick<Plan, 'plans' | 'unknown'>
  readonly input: Pick<PlanInput, 'slots' | 'pendingRuns' | 'locations'>
  /** By slot. */
  readonly fromStoreroom: ReadonlyMap<string, number>
  /** The run that was placed, by slot. */
  readonly bringing: ReadonlyMap<string, BringingRun>
  readonly currency: Config['currency']
}

const isComing = ({ recommendation }: Pick<PlanEntry, 'recommendation'>): boolean =>
  recommendation.action === 'in_transit'

/** Nothing is ordered for it because an operator said so. */
const isLocked = ({ recommendation: { action } }: PlanEntry): boolean => action === 'locked' || action === 'phase_out'

const stateOf = ({ stock, daysOfCover }: PlanEntry) => stockState(stock, daysOfCover)

export function summarizePlan({ plan, input, fromStoreroom, bringing, currency }: Parts): PlanSummary {
  const { slots, pendingRuns, locations } = input
  const lostPerDay = ({ slotId, demand }: PlanEntry) => Math.round(demand.dailyRate * (slots.get(slotId)?.price ?? 0))
  const nameOf = (location: string): string => locations.get(location as LocationId)?.name ?? location
  const wanting = plan.plans.filter((entry) => !isLocked(entry))
  const empty = wanting.filter((entry) => stateOf(entry) === 'empty').toSorted((a, b) => lostPerDay(b) - lostPerDay(a))
  const low = wanting
    .filter((entry) => stateOf(entry) === 'low')
    .toSorted((a, b) => (a.daysOfCover ?? 0) - (b.daysOfCover ?? 0))
  const kinds = {
    empty: empty.filter((entry) => !isComing(entry)),
    low: low.filter((entry) => !isComing(entry)),
    coming: [...empty, ...low].filter(isComing),
  }
  const isToConfirm = ({ slotId }: PlanEntry): boolean => bringing.get(slotId)?.isOrdered === false
  const view = (kind: AttentionSlot['kind'], entry: PlanEntry): AttentionSlot => {
    const { slotId, location, stock, recommendation } = entry
    const slot = slots.get(slotId)!
    const stored = fromStoreroom.get(slotId)
    const run = kind === 'coming' ? bringing.get(slotId)?.id : pendingRuns.get(slotId)?.[0]
    return {
      kind,
      slot_id: slotId,
      location,
      location_name: nameOf(location),
      item: { id: slot.skuId, title: slot.title },
      stock,
      ...(kind === 'empty' && lostPerDay(entry) > 0 ? { lost_per_day: money(lostPerDay(entry), currency) } : {}),
      ...(recommendation.quantity === undefined ? {} : { quantity: recommendation.quantity }),
      ...(stored ? { from_storeroom: stored } : {}),
      ...(run === undefined ? {} : { run }),
      ...(kind === 'coming' && isToConfirm(entry) ? { to_confirm: true } : {}),
    }
  }
  // What a run that is not ordered yet covers needs no second one.
  const toOrder = plan.plans.filter(
    ({ slotId, recommendation }) => recommendation.action === 'order' && !pendingRuns.get(slotId)?.length,
  )
  const unknown = Map.groupBy(plan.unknown, ({ location }) => location)
  return {
    slots: plan.plans.length,
    empty: kinds.empty.length,
    low: kinds.low.length,
    coming: kinds.coming.length,
    to_confirm: kinds.coming.filter(isToConfirm).length,
    to_order: { slots: toOrder.length, machines: new Set(toOrder.map(({ location }) => location)).size },
    unknown: { slots: plan.unknown.length, machines: unknown.size },
    first: (['empty', 'low', 'coming'] as const).flatMap((kind) =>
      kinds[kind].slice(0, SHOWN).map((entry) => view(kind, entry)),
    ),
    uncounted: [...unknown]
      .slice(0, SHOWN)
      .map(([location, own]) => ({ location, location_name: nameOf(location), slots: own.length })),
  }
}

/** What a machine holds and lacks. */
export interface MachineStock {
  readonly slots: number
  readonly low: number
  /** Units that the plan orders. */
  readonly units: number
  /** Of these, what the store room gives. */
  readonly from_storeroom: number
  /** Units there of those that fit, in slots of which both are known. */
  readonly filled: number
  readonly capacity: number
}

/** By machine. */
export function machineStocks(
  plans: readonly Pick<PlanEntry, 'slotId' | 'location' | 'stock' | 'daysOfCover' | 'recommendation'>[],
  { slots }: { readonly slots: ReadonlyMap<string, { readonly capacity: number | null }> },
  fromStoreroom: ReadonlyMap<string, number>,
): ReadonlyMap<string, MachineStock> {
  const stocks = new Map<string, MachineStock>()
  for (const { slotId, location, stock, daysOfCover, recommendation } of plans) {
    const known = stocks.get(location)
    const holds = slots.get(slotId)?.capacity ?? 0
    stocks.set(location, {
      slots: (known?.slots ?? 0) + 1,
      low: (known?.low ?? 0) + (stockState(stock, daysOfCover) === 'low' ? 1 : 0),
      units: (known?.units ?? 0) + (recommendation.quantity ?? 0),
      from_storeroom: (known?.from_storeroom ?? 0) + (fromStoreroom.get(slotId) ?? 0),
      filled: (known?.filled ?? 0) + Math.min(stock, holds),
      capacity: (known?.capacity ?? 0) + holds,
    })
  }
  return stocks
}
