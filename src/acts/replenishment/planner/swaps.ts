/**
 * Which slots would earn more with another product. The slots that earn less than the average of their machine are
 * compared with what the route sells in other machines of the same platform, of the same kind of venue where it is known.
 * Pure.
 */
import { compareText } from '../../../kernel/text.ts'
import { machineRate, peerRate } from './demand/demand.ts'

export interface SwapSlot {
  readonly slotId: string
  readonly sku: string
  readonly rate: number
  readonly marginFen: number
  /** What its rate was learned from. */
  readonly units: number
  readonly days: number
  /** Locked, phased out or in transit: it stays as it is. */
  readonly isFixed: boolean
}

export interface SwapMachine {
  readonly location: string
  /** Products of another platform have other names, so they are no candidates. */
  readonly namespace: string
  readonly venueType: string | undefined
  readonly slots: readonly SwapSlot[]
  /** All products that it holds, also in slots that are not planned. */
  readonly heldSkus: ReadonlySet<string>
}

/** Whether a product may be proposed for a machine: buyable, allowed by the rules, not phased out, not rejected before. */
export type MayPropose = (sku: string, location: string, slotId: string) => boolean

export interface Swap {
  readonly location: string
  readonly slotId: string
  readonly out: { readonly sku: string; readonly rate: number; readonly weeklyFen: number }
  readonly in: { readonly sku: string; readonly rate: number; readonly weeklyFen: number }
  readonly weeklyGainFen: number
  readonly evidence: {
    /** Undefined: machines of all venues. */
    readonly venueType: string | undefined
    readonly machines: number
    readonly units: number
    readonly days: number
  }
}

/** A slot whose rate is known from fewer days says too little about what it earns. */
const OWN_DAYS_MIN = 7
/** Fewer days or units elsewhere say too little about the other product. */
const EVIDENCE_DAYS_MIN = 14
const EVIDENCE_UNITS_MIN = 10
/** A product has to earn this much more: rates are estimates, and changing a slot is work. */
const GAIN_SHARE_MIN = 1.25
const SWAPS_PER_MACHINE = 3

/** The largest gain first; at most three for each machine. */
export function proposeSwaps(route: readonly SwapMachine[], mayPropose: MayPropose): Swap[] {
  // Sums of fractions depend on their order; the proposals must not.
  const machines = route.toSorted((a, b) => compareText(a.location, b.location))
  const routeRate = routeRateOf(machines)
  const rates = new Map(machines.map((machine) => [machine.location, machineRate(totalsOf(machine), routeRate)]))
  const candidatesOf = candidateFinder(machines, rates)
  return machines
    .flatMap((machine) => proposeForMachine(machine, rates.get(machine.location)!, candidatesOf(machine), mayPropose))
    .toSorted((a, b) => b.weeklyGainFen - a.weeklyGainFen || compareText(a.slotId, b.slotId))
}

interface Candidate {
  readonly sku: string
  readonly marginFen: number
  readonly units: number
  readonly days: number
  /** What an average product would have sold in the same machines. */
  readonly expectedUnits: number
  readonly machines: number
  readonly venueType: string | undefined
}

function proposeForMachine(
  machine: SwapMachine,
  ownRate: number,
  candidates: readonly Candidate[],
  mayPropose: MayPropose,
): Swap[] {
  const ranked = candidates
    .filter(
      ({ sku, days, units }) => days >= EVIDENCE_DAYS_MIN && units >= EVIDENCE_UNITS_MIN && !machine.heldSkus.has(sku),
    )
    .map((candidate) => {
      const rate = peerRate(ownRate, candidate.units, candidate.expectedUnits)
      return { ...candidate, rate, weeklyFen: weeklyMarginFen(rate, candidate.marginFen) }
    })
    .toSorted((a, b) => b.weeklyFen - a.weeklyFen || compareText(a.sku, b.sku))
  const earning = machine.slots.map((slot) => ({ ...slot, weeklyFen: weeklyMarginFen(slot.rate, slot.marginFen) }))
  const average = earning.reduce((total, { weeklyFen }) => total + weeklyFen, 0) / earning.length
  const worst = earning
    .filter(({ isFixed, days, weeklyFen }) => !isFixed && days >= OWN_DAYS_MIN && weeklyFen < average)
    .toSorted((a, b) => a.weeklyFen - b.weeklyFen || compareText(a.slotId, b.slotId))
  const taken = new Set<string>()
  const swaps: Swap[] = []
  for (const slot of worst) {
    if (swaps.length === SWAPS_PER_MACHINE) break
    const best = ranked.find(({ sku }) => !taken.has(sku) && mayPropose(sku, machine.location, slot.slotId))
    if (!best || best.weeklyFen <= slot.weeklyFen * GAIN_SHARE_MIN) continue
    const weeklyGainFen = Math.round(best.weeklyFen) - Math.round(slot.weeklyFen)
    if (weeklyGainFen <= 0) continue
    taken.add(best.sku)
    const { venueType, machines, units, days } = best
    swaps.push({
      location: machine.location,
      slotId: slot.slotId,
      out: { sku: slot.sku, rate: slot.rate, weeklyFen: Math.round(slot.weeklyFen) },
      in: { sku: best.sku, rate: best.rate, weeklyFen: Math.round(best.weeklyFen) },
      weeklyGainFen,
      evidence: { venueType, machines, units, days },
    })
  }
  return swaps
}

const weeklyMarginFen = (rate: number, marginFen: number): number => rate * 7 * marginFen

/** Candidates for the machines of one platform and kind of venue, worked out once for all of them. */
function candidateFinder(machines: readonly SwapMachine[], rates: ReadonlyMap<string, number>) {
  const groups = new Map<string, readonly Candidate[]>()
  return ({ namespace, venueType }: SwapMachine): readonly Candidate[] => {
    const key = `${namespace} ${venueType ?? ''}`
    const found =
      groups.get(key) ??
      findCandidates(
        machines.filter((each) => each.namespace === namespace && isOfVenueType(each, venueType)),
        rates,
        venueType,
      )
    groups.set(key, found)
    return found
  }
}

const isOfVenueType = ({ venueType }: SwapMachine, wanted: string | undefined): boolean =>
  wanted === undefined || venueType === wanted

function findCandidates(
  machines: readonly SwapMachine[],
  rates: ReadonlyMap<string, number>,
  venueType: string | undefined,
): Candidate[] {
  const selling = machines.flatMap(({ location, slots }) =>
    slots.flatMap((slot) => (slot.days > 0 ? [{ ...slot, location, expected: slot.days * rates.get(location)! }] : [])),
  )
  return [...Map.groupBy(selling, ({ sku }) => sku)].map(([sku, slots]) => {
    const sum = (of: (slot: (typeof slots)[number]) => number) => slots.reduce((total, slot) => total + of(slot), 0)
    return {
      sku,
      marginFen: sum(({ marginFen }) => marginFen) / slots.length,
      units: sum(({ units }) => units),
      days: sum(({ days }) => days),
      expectedUnits: sum(({ expected }) => expected),
      machines: new Set(slots.map(({ location }) => location)).size,
      venueType,
    }
  })
}

function totalsOf({ slots }: SwapMachine) {
  let units = 0
  let availableDays = 0
  for (const slot of slots) {
    units += slot.units
    availableDays += slot.days
  }
  return { units, availableDays }
}

function routeRateOf(machines: readonly SwapMachine[]): number {
  const totals = machines.map(totalsOf)
  const units = totals.reduce((total, each) => total + each.units, 0)
  return (
    units /
    Math.max(
      1,
      totals.reduce((total, each) => total + each.availableDays, 0),
    )
  )
}
