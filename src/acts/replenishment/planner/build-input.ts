/** Builds the planner's input from the records of a platform and of our own runs. */
import { firstIndexWhere } from '../../../lib/binary-search.ts'
import type { RunRecord } from './demand/lead-time.ts'
import type { MachineInput, Reading, Receipt, Removal, Sales, SlotInput } from './input.ts'

export interface SlotSale {
  /** Lines with the same id count once. */
  readonly id?: string | undefined
  readonly slotId: string
  /** Null when the platform's time could not be read: such a line belongs to no day. */
  readonly at: number | null
  readonly status: string
}

export type SlotRecord = Omit<
  SlotInput,
  'sales' | 'receipts' | 'removals' | 'readings' | 'isInTransit' | 'deliveredShort'
> & {
  readonly location: string
}

export interface MachineRecord extends Omit<MachineInput, 'ledgerFrom' | 'slots'> {
  readonly ledgerFrom?: number | null | undefined
}

export interface Records {
  readonly machines: readonly MachineRecord[]
  readonly slots: readonly SlotRecord[]
  readonly sales: ReadonlyMap<string, Sales>
  readonly runs: readonly RunRecord[]
  /** By slot id. */
  readonly removals?: ReadonlyMap<string, readonly Removal[]> | undefined
  readonly readings: (slotId: string) => readonly Reading[] | undefined
}

/** Paid lines by slot. Unpaid, refunded and cancelled units never left the machine, or came back. */
export function salesBySlot(ledger: readonly SlotSale[]): { sales: Map<string, Sales>; undated: number } {
  const seen = new Set<string>()
  const paid = ledger.filter(({ id, status }) => {
    if (status !== 'paid' || (id !== undefined && seen.has(id))) return false
    if (id !== undefined) seen.add(id)
    return true
  })
  const dated = paid.filter(({ at }) => at !== null)
  const sales = new Map<string, Sales>()
  for (const [slotId, lines] of Map.groupBy(dated, (line) => line.slotId))
    sales.set(slotId, { at: Float64Array.from(lines, ({ at }) => at!).toSorted() })
  return { sales, undated: paid.length - dated.length }
}

/** Joins slots with their history, and machines with their slots. Lines of slots that no longer exist are left out. */
export function machineInputs({ machines, slots, sales, runs, removals, readings }: Records): MachineInput[] {
  const { receipts, deliveredShort, inTransit } = summarizeRuns(runs)
  const slotsByMachine = Map.groupBy(
    slots.map((slot) => {
      const levels = readings(slot.slotId) ?? NONE
      return {
        ...slot,
        isInTransit: inTransit.has(slot.slotId),
        deliveredShort: limitShownByShortDeliveries(deliveredShort.get(slot.slotId) ?? NONE, levels),
        sales: sales.get(slot.slotId) ?? NO_SALES,
        receipts: receipts.get(slot.slotId) ?? NONE,
        removals: removals?.get(slot.slotId),
        readings: levels,
      }
    }),
    ({ location }) => location,
  )
  return machines.map((machine) => ({
    location: machine.location,
    zone: machine.zone,
    place: machine.place,
    openWeekdays: machine.openWeekdays,
    knownDays: machine.knownDays,
    ledgerFrom: machine.ledgerFrom ?? null,
    ledgerTo: machine.ledgerTo,
    historyFrom: machine.historyFrom,
    slots: slotsByMachine.get(machine.location) ?? [],
  }))
}

const NO_SALES: Sales = { at: new Float64Array(0) }
const NONE: readonly never[] = []

/**
 * What deliveries of less than was ordered show. One that ended below a level seen at another time was short for another
 * reason than room. Of one that is older than all readings the level is unknown: the slot holds what was seen since, or more.
 */
function limitShownByShortDeliveries(
  deliveredAt: readonly number[],
  readings: readonly Reading[],
): SlotInput['deliveredShort'] {
  if (deliveredAt.length === 0) return undefined
  // Of several at the same time the highest counts, so that their order does not matter.
  const ordered = readings.toSorted((a, b) => a.at - b.at || b.stock - a.stock)
  const [first] = ordered
  if (!first) return 'full'
  const highest = ordered.reduce((most, { stock }) => Math.max(most, stock), 0)
  const levelAfter = (at: number) => ordered[firstIndexWhere(ordered.length, (i) => ordered[i]!.at >= at)]?.stock
  const known = deliveredAt.filter((at) => at >= first.at)
  if (known.some((at) => (levelAfter(at) ?? highest) >= highest)) return 'full'
  return known.length < deliveredAt.length ? 'full_before' : undefined
}

/** By slot: what was received, which deliveries were short, what is in transit. */
export function summarizeRuns(runs: readonly RunRecord[]) {
  const receipts = new Map<string, Receipt[]>()
  const deliveredShort = new Map<string, number[]>()
  const inTransit = new Set<string>()
  for (const { status, deliveredAt, lines, delivered } of runs) {
    if (status === 'placed') for (const { slotId } of lines) inTransit.add(slotId)
    if (status !== 'delivered' || deliveredAt === null) continue
    const ordered = new Map(lines.map(({ slotId, quantity }) => [slotId, quantity]))
    for (const { slotId, quantity } of delivered) {
      const ofSlot = receipts.get(slotId) ?? []
      receipts.set(slotId, ofSlot)
      ofSlot.push({ at: deliveredAt, units: quantity })
      if (quantity >= (ordered.get(slotId) ?? 0)) continue
      const short = deliveredShort.get(slotId)
      if (short) short.push(deliveredAt)
      else deliveredShort.set(slotId, [deliveredAt])
    }
  }
  return { receipts, deliveredShort, inTransit }
}
