/**
 * Units that a machine will not sell before their date, and that another one would. They are taken out when the machine is
 * visited anyway and lie in the store room until the next visit of the other one. Pure.
 */
import { DAY } from '../../../kernel/clock.ts'
import { compareText } from '../../../kernel/text.ts'
import { DISPERSION } from '../planner/demand/cycle.ts'
import { quantile } from '../planner/demand/negative-binomial.ts'

export interface MoveSlot {
  readonly location: string
  readonly slotId: string
  readonly sku: string
  readonly stock: number
  /** Units a day, on average over open and closed days. */
  readonly rate: number
  /** Undefined: unknown. */
  readonly capacity: number | undefined
  readonly costFen: number | undefined
  /** Days that a unit keeps in a machine; undefined: unknown, and never assumed. */
  readonly shelfDays: number | undefined
  /** What was loaded, the latest first. */
  readonly loads: readonly Load[]
  /** Locked or phased out: nothing is brought here. */
  readonly isClosed: boolean
  readonly visitCostFen: number
}

interface Load {
  readonly at: number
  readonly units: number
}

export interface Move {
  readonly sku: string
  readonly from: Pick<MoveSlot, 'location' | 'slotId'>
  readonly to: Pick<MoveSlot, 'location' | 'slotId'>
  readonly units: number
  /** Whole days from now after which they are too old. */
  readonly daysLeft: number
  /** What they cost, less the work. */
  readonly gainFen: number
}

/** Units are moved when it is this sure that the one machine does not sell them, and that the other does. */
const SURE = 0.8
/** Handling a product in two machines, as a share of a visit: what changing a lane takes. */
const WORK_SHARE = 0.1

/** `waitDays`: until the other machine gets what lies in the store room. The largest gain first. */
export function chooseMoves(slots: readonly MoveSlot[], now: number, waitDays: number): readonly Move[] {
  const bySku = Map.groupBy(slots, ({ sku }) => sku)
  const brought = new Map<string, number>()
  const moves: Move[] = []
  for (const from of slots.toSorted((a, b) => compareText(a.slotId, b.slotId))) {
    const unsold = unsoldUnits(from, now)
    if (!unsold || from.costFen === undefined) continue
    const { daysLeft } = unsold
    const roomAt = (slot: MoveSlot) => sellable(slot, daysLeft - waitDays) - (brought.get(slot.slotId) ?? 0)
    const to = bySku
      .get(from.sku)!
      .filter(({ location, isClosed }) => location !== from.location && !isClosed)
      .toSorted((a, b) => roomAt(b) - roomAt(a) || compareText(a.slotId, b.slotId))[0]
    if (!to) continue
    const units = Math.min(unsold.units, roomAt(to))
    const gainFen = units * from.costFen - WORK_SHARE * from.visitCostFen
    if (units < 1 || gainFen <= 0) continue
    brought.set(to.slotId, (brought.get(to.slotId) ?? 0) + units)
    moves.push({
      sku: from.sku,
      from: { location: from.location, slotId: from.slotId },
      to: { location: to.location, slotId: to.slotId },
      units,
      daysLeft,
      gainFen: Math.round(gainFen),
    })
  }
  return moves.toSorted((a, b) => b.gainFen - a.gainFen || compareText(a.from.slotId, b.from.slotId))
}

/** Undefined: it sells all of them, one of them is too old already, or nobody knows when they came. The oldest sell first. */
function unsoldUnits({ stock, rate, shelfDays, loads }: MoveSlot, now: number) {
  if (shelfDays === undefined) return undefined
  const ages: { units: number; daysLeft: number }[] = []
  let left = stock
  for (const { at, units } of loads) {
    if (left <= 0) break
    ages.unshift({ units: Math.min(units, left), daysLeft: shelfDays - Math.ceil((now - at) / DAY) })
    left -= units
  }
  if (stock <= 0 || left > 0 || ages[0]!.daysLeft <= 0) return undefined
  let older = 0
  let most: { readonly units: number; readonly daysLeft: number } | undefined
  for (const { units, daysLeft } of ages) {
    older += units
    const unsold = older - quantile(rate * daysLeft, SURE, DISPERSION)
    if (unsold > (most?.units ?? 0)) most = { units: unsold, daysLeft }
  }
  return most
}

/** What a slot sells within so many days, after what is in it. */
function sellable({ stock, rate, capacity = Infinity }: MoveSlot, days: number): number {
  if (days <= 0) return 0
  return Math.max(0, Math.min(quantile(rate * days, 1 - SURE, DISPERSION) - stock, capacity))
}
