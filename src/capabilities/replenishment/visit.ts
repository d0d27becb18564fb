/**
 * Whether somebody drives to a machine. Slot by slot there is always a reason to go; what a visit costs is paid once per
 * machine, so the machine decides, and a visit tops up every slot that has use for it.
 */
import { expectedLoss } from './negative-binomial.ts'
import { SPREAD } from './quantity.ts'

export interface VisitSlot {
  /** Neither locked nor already on its way. */
  readonly free: boolean
  readonly rate: number
  readonly priceFen: number
  readonly marginFen: number
  readonly stock: number
  readonly atRisk: boolean
  readonly units: number
  /** Expected demand until goods ordered now arrive, and until those ordered one review later do. */
  readonly lead: number
  readonly leadAndReview: number
}

export interface Visit {
  readonly go: boolean
  readonly rule: 'small_machine' | 'share' | 'cost'
  /** Share of the machine's expected revenue in slots at risk. */
  readonly riskShare: number
  readonly load: number
}

const SMALL_MACHINE_SLOTS = 5
const WORTH_A_LOOK = 0.15
const WORTH_ANY_LOAD = 0.5
const WORTH_THE_DRIVE = 20

export function visit(
  slots: readonly VisitSlot[],
  cost: { readonly fen: number; readonly sinceDays: number } | null,
): Visit {
  let revenue = 0
  let atRisk = 0
  let load = 0
  let selling = 0
  let anyRisk = false
  for (const slot of slots) {
    const weight = slot.rate * slot.priceFen
    revenue += weight
    if (slot.rate > 0) selling++
    if (!slot.free) continue
    load += slot.units
    if (!slot.atRisk) continue
    atRisk += weight
    anyRisk = true
  }
  const riskShare = revenue > 0 ? atRisk / revenue : 0
  if (selling < SMALL_MACHINE_SLOTS) return { go: anyRisk, rule: 'small_machine', riskShare, load }
  if (cost)
    return { go: revenue > 0 && lossOfWaiting(slots) >= cost.fen / cost.sinceDays, rule: 'cost', riskShare, load }
  const go = atRisk >= WORTH_A_LOOK * revenue && (load >= WORTH_THE_DRIVE || atRisk >= WORTH_ANY_LOAD * revenue)
  return { go: revenue > 0 && go, rule: 'share', riskShare, load }
}

/** Margin lost by deciding one review later, in fen. */
function lossOfWaiting(slots: readonly VisitSlot[]): number {
  let sum = 0
  for (const { free, stock, lead, leadAndReview, marginFen } of slots) {
    if (free) sum += marginFen * (expectedLoss(leadAndReview, stock, SPREAD) - expectedLoss(lead, stock, SPREAD))
  }
  return sum
}
