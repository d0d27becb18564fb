/**
 * How the units of one product that were bought are spread over slots: one by one, each to the slot where its value is highest:
 * margin times the probability that it is sold before the next visit. Pure; buys nothing.
 */
import { compareText } from '../../../../kernel/text.ts'
import { DISPERSION } from '../demand/cycle.ts'
import { exceedances } from '../demand/negative-binomial.ts'

export interface SplitSlot {
  readonly slotId: string
  /** Units in the slot now. */
  readonly level: number
  /** Expected demand until the next visit after this one. */
  readonly demand: number
  readonly marginFen: number
  /** Units that fit in; may be infinite. */
  readonly room: number
  /** What the run planned for it. A slot that is not expected to sell gets no more, and only what others do not need. */
  readonly planned: number
}

/** The value of one more unit falls with each unit, so taking the most valuable units over all slots is optimal. */
export function splitUnits(units: number, slots: readonly SplitSlot[]) {
  const candidates = slots.flatMap((slot, index) => unitValues(slot, units).map((value) => ({ index, value })))
  candidates.sort((a, b) => b.value - a.value || compareText(slots[a.index]!.slotId, slots[b.index]!.slotId))
  const quantities = slots.map(() => 0)
  const given = candidates.slice(0, units)
  for (const { index } of given) quantities[index]! += 1
  /** `quantities` in the order of the slots; no slot has room for the units to spare. */
  return { quantities, spare: units - given.length }
}

/** The value of each unit that fits, the first one first. */
function unitValues({ level, demand, marginFen, room, planned }: SplitSlot, units: number): readonly number[] {
  const isSelling = demand > 0 && marginFen > 0
  const maxUnits = Math.max(0, Math.min(units, Math.floor(isSelling ? room : Math.min(room, planned))))
  if (!isSelling) return Array.from({ length: maxUnits }, () => 0)
  return exceedances(demand, level, maxUnits, DISPERSION).map((probability) => marginFen * probability)
}
