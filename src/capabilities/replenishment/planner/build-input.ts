/** From raw records, as a platform and our own runs leave them, to the state a plan looks at. */
import type { RunRecord } from './lead-time.ts'
import type { MachineInput, Reading, Receipt, Sales, SlotInput, Zone } from './input.ts'

export interface LedgerLine {
  /** Where lines have ids, a line that comes twice counts once. */
  readonly id?: string | undefined
  readonly slotId: string
  /** Null when the platform's time could not be read: such a line can be placed on no day. */
  readonly at: number | null
  readonly status: string
}

export type SlotRecord = Omit<SlotInput, 'sales' | 'receipts' | 'readings' | 'inTransit' | 'deliveredShort'> & {
  readonly location: string
}

export interface MachineRecord {
  readonly location: string
  readonly zone: Zone
  readonly openWeekdays?: readonly number[] | undefined
  readonly ledgerFrom?: number | null | undefined
}

export interface Records {
  readonly machines: readonly MachineRecord[]
  readonly slots: readonly SlotRecord[]
  readonly sales: ReadonlyMap<string, Sales>
  readonly runs: readonly RunRecord[]
  readonly readings: (slotId: string) => readonly Reading[] | undefined
}

/** Paid lines by slot. Everything else (unpaid, refunded, cancelled) never left the machine, or came back. */
export function salesBySlot(ledger: readonly LedgerLine[]): { sales: Map<string, Sales>; undated: number } {
  const instants = new Map<string, number[]>()
  const seen = new Set<string>()
  let undated = 0
  for (const { id, slotId, at, status } of ledger) {
    if (status !== 'paid') continue
    if (id !== undefined) {
      if (seen.has(id)) continue
      seen.add(id)
    }
    if (at === null) undated++
    else push(instants, slotId, at)
  }
  const sales = new Map<string, Sales>()
  for (const [slotId, at] of instants) sales.set(slotId, { at: Float64Array.from(at).toSorted() })
  return { sales, undated }
}

/** Joins slots with their traces, and machines with their slots. Lines about slots that no longer exist are left out. */
export function machineInputs({ machines, slots, sales, runs, readings }: Records): MachineInput[] {
  const { receipts, short, inTransit, lastVisits } = summarizeRuns(
    runs,
    new Map(runs.length === 0 ? [] : slots.map(({ slotId, location }) => [slotId, location])),
  )
  const slotsAt = new Map<string, SlotInput[]>()
  for (const slot of slots) {
    push(slotsAt, slot.location, {
      ...slot,
      inTransit: inTransit.has(slot.slotId),
      deliveredShort: short.has(slot.slotId),
      sales: sales.get(slot.slotId) ?? NO_SALES,
      receipts: receipts.get(slot.slotId) ?? NONE,
      readings: readings(slot.slotId) ?? NONE,
    })
  }
  return machines.map((machine) => ({
    location: machine.location,
    zone: machine.zone,
    openWeekdays: machine.openWeekdays,
    ledgerFrom: machine.ledgerFrom ?? null,
    lastVisit: lastVisits.get(machine.location) ?? null,
    slots: slotsAt.get(machine.location) ?? [],
  }))
}

const NO_SALES: Sales = { at: new Float64Array(0) }
const NONE: readonly never[] = []

/** What past runs say about slots: what arrived, what came short, what is under way, when a machine was last visited. */
export function summarizeRuns(runs: readonly RunRecord[], locationOf: ReadonlyMap<string, string>) {
  const receipts = new Map<string, Receipt[]>()
  const short = new Set<string>()
  const inTransit = new Set<string>()
  const lastVisits = new Map<string, number>()
  for (const { status, deliveredAt, lines, delivered } of runs) {
    if (status === 'placed') for (const { slotId } of lines) inTransit.add(slotId)
    if (status !== 'delivered' || deliveredAt === null) continue
    const ordered = new Map(lines.map(({ slotId, quantity }) => [slotId, quantity]))
    for (const { slotId, quantity } of delivered) {
      push(receipts, slotId, { at: deliveredAt, units: quantity })
      if (quantity < (ordered.get(slotId) ?? 0)) short.add(slotId)
    }
    for (const { slotId } of lines) {
      const location = locationOf.get(slotId)
      if (location !== undefined) lastVisits.set(location, Math.max(deliveredAt, lastVisits.get(location) ?? -Infinity))
    }
  }
  return { receipts, short, inTransit, lastVisits }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
