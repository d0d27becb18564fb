/** What the built-in operator decides, from what it saw. Pure: every situation is a plain value. */
import type { Autonomy } from '../../contract/shapes/guardrails.ts'

type Level = Autonomy['restock']

export interface DueTrip {
  readonly date: string
  readonly area: string
  readonly locations: readonly string[]
  /** What the due machines lose by waiting, in minor units. */
  readonly waiting: number
}

export interface OwnRun {
  readonly id: string
  readonly status: string
  /** Created with the question to the owner. */
  readonly isAsked: boolean
  readonly locations: readonly string[]
  readonly createdOn: string
}

export interface RestockSituation {
  readonly level: Level
  readonly today: string
  /** Due today. */
  readonly trips: readonly DueTrip[]
  /** Runs of the operator that are not delivered, newest first, and those of today that the owner rejected. */
  readonly runs: readonly OwnRun[]
  /** Trips are planned at a wake-up; between them only where nothing was planned today. */
  readonly isBetweenWakes: boolean
}

export interface PlannedRun {
  readonly locations: readonly string[]
  readonly area: string
  readonly date: string
  readonly waiting: number
  readonly ask: boolean
}

export interface RestockPlan {
  /** Runs to order now. */
  readonly place: readonly string[]
  /** One for each due trip. */
  readonly create: readonly PlannedRun[]
}

/** While the owner is asked for everything, only what the owner was asked about is ordered. */
export const mayOrder = (level: Level, { isAsked }: Pick<OwnRun, 'isAsked'>): boolean =>
  level === 'act' || (level === 'propose' && isAsked)

export function decideRestock({ level, today, trips, runs, isBetweenWakes }: RestockSituation): RestockPlan {
  if (level === 'off') return { place: [], create: [] }
  // The oldest first: the later ones were asked about as if it had what it counted on.
  const place = runs
    .filter((run) => run.status === 'approved' && mayOrder(level, run))
    .map(({ id }) => id)
    .toReversed()
  // A machine of a run that waits is not asked about again, and one that the owner rejected today not today.
  const taken = new Set(
    runs
      .filter(({ status, createdOn }) =>
        status === 'rejected' ? createdOn === today : status === 'pending_approval' || status === 'approved',
      )
      .flatMap(({ locations }) => locations),
  )
  // A second trip of a day costs a drive, and what it brings would have come with the next one.
  if (isBetweenWakes && runs.some(({ createdOn }) => createdOn === today)) return { place, create: [] }
  const create = trips.flatMap((trip) => {
    const locations = trip.locations.filter((location) => !taken.has(location))
    if (locations.length === 0) return []
    return [{ locations, area: trip.area, date: trip.date, waiting: trip.waiting, ask: level === 'propose' }]
  })
  return { place, create }
}

export interface OpenPurchase {
  readonly id: string
  readonly vendor: string
  readonly status: string
  /** Products at the supplier. */
  readonly skus: readonly string[]
  readonly isHandoff: boolean
}

export interface PurchaseSituation {
  readonly purchase: OpenPurchase
  /** Purchases whose outcome is not known, with their products. */
  readonly unknown: readonly Pick<OpenPurchase, 'id' | 'skus'>[]
  /** Refusals of this supplier in this shift. */
  readonly refusals: number
  /** Lines that the supplier does not have. */
  readonly missing: number
  readonly lines: number
  /** Whether a product of it is no longer sold, and the purchase waits until somebody agrees to go without. */
  readonly isChanged: boolean
}

export type PurchaseMove =
  | { readonly move: 'complete' | 'wait' | 'nothing' | 'trim' | 'cancel' | 'person' }
  | { readonly move: 'hold'; readonly because: 'unknown'; readonly other: string }
  | { readonly move: 'hold'; readonly because: 'refused' }

const REFUSALS_MAX = 3

export function decidePurchase(situation: PurchaseSituation): PurchaseMove {
  const { purchase, unknown, refusals, missing, lines, isChanged } = situation
  const { id, skus, status, isHandoff } = purchase
  if (isHandoff) return { move: 'person' }
  if (status === 'requires_escalation') return { move: 'wait' }
  if (status === 'incomplete' && (missing > 0 || isChanged)) return { move: missing >= lines ? 'cancel' : 'trim' }
  if (status !== 'ready_for_complete') return { move: 'nothing' }
  const other = unknown.find((each) => each.id !== id && each.skus.some((sku) => skus.includes(sku)))
  if (other) return { move: 'hold', because: 'unknown', other: other.id }
  return refusals >= REFUSALS_MAX ? { move: 'hold', because: 'refused' } : { move: 'complete' }
}

/** Slots that a run must leave out: their goods may be on their way already. */
export const slotsOfUnknown = (
  lines: readonly { readonly slotId: string; readonly source: string | undefined }[],
  unknown: readonly Pick<OpenPurchase, 'skus'>[],
): readonly string[] => {
  const skus = new Set(unknown.flatMap((each) => each.skus))
  return lines.flatMap(({ slotId, source }) => (source !== undefined && skus.has(source) ? [slotId] : []))
}

export interface ProposedSwap {
  readonly slotId: string
  readonly location: string
  readonly itemId: string
  readonly gain: number
  readonly status: string
}

/** At most a few wait for the owner or begin in a shift, and one in a machine. */
const SWAPS_MAX = 3

export function decideSwaps(level: Level, swaps: readonly ProposedSwap[]): readonly ProposedSwap[] {
  if (level === 'off') return []
  const pending = swaps.filter(({ status }) => status === 'pending')
  const machines = new Set(
    swaps.filter(({ status }) => status === 'pending' || status === 'approved').map(({ location }) => location),
  )
  const chosen: ProposedSwap[] = []
  for (const swap of swaps.filter(({ status }) => status === 'proposed').toSorted((a, b) => b.gain - a.gain)) {
    if (pending.length + chosen.length >= SWAPS_MAX) break
    if (machines.has(swap.location)) continue
    machines.add(swap.location)
    chosen.push(swap)
  }
  return chosen
}

export interface ProposedTrial {
  readonly itemId: string
  /** Of the price. */
  readonly change: number
  /** Expected, a week. */
  readonly gain: number
}

/** A trial that the owner was asked about. */
export interface AskedTrial {
  readonly itemId: string
  readonly change: number
  readonly answer: 'pending' | 'approved' | 'rejected'
  /** Asked before: it began, or lies too long ago to begin now. */
  readonly isOver: boolean
}

export interface TrialSituation<T extends ProposedTrial> {
  readonly level: Level
  readonly running: number
  readonly proposals: readonly T[]
  readonly asked: readonly AskedTrial[]
}

/** Trials of prices at the same time, and new ones of a shift: most products keep their price, whatever is tried. */
const TRIALS_AT_ONCE = 10
const NEW_TRIALS = 4

/** What to begin now, and the one proposal to ask the owner about. */
export function decideTrials<T extends ProposedTrial>({
  level,
  running,
  proposals,
  asked,
}: TrialSituation<T>): {
  readonly begin: readonly T[]
  readonly ask: T | undefined
} {
  if (level === 'off') return { begin: [], ask: undefined }
  const room = Math.max(0, Math.min(NEW_TRIALS, TRIALS_AT_ONCE - running))
  const best = proposals.filter(({ gain }) => gain > 0).toSorted((a, b) => b.gain - a.gain)
  if (level === 'act') return { begin: best.slice(0, room), ask: undefined }
  const isAgreed = ({ itemId, change }: T) =>
    asked.some((one) => one.answer === 'approved' && !one.isOver && one.itemId === itemId && one.change === change)
  const isAsked = ({ itemId }: T) => asked.some((one) => one.itemId === itemId)
  const isWaiting = asked.some(({ answer }) => answer === 'pending')
  return {
    begin: best.filter(isAgreed).slice(0, room),
    ask: room === 0 || isWaiting ? undefined : best.find((one) => !isAsked(one)),
  }
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

/** One question a week about all of them. */
export const asksAboutUnlinked = (count: number, askedAt: number | undefined, now: number): boolean =>
  count > 0 && (askedAt === undefined || now - askedAt >= WEEK_MS)
