/**
 * What a machine sold between two readings of its meters. A meter only counts, so sales are differences: the first
 * reading is where counting begins, and a meter that went back was restarted.
 */
import type { Counter, Reading, Selection } from './dex-reading.ts'

/** What a difference needs of a reading. */
type MeterState = Pick<Reading, 'total' | 'selections'>

export interface MeterSale {
  readonly selection: string
  /** One price per unit, in minor units; they add up to what the meter took in. */
  readonly prices: readonly number[]
}

/** Empty when nothing was sold. Readings are of one machine, `before` the earlier one. */
export function salesBetween(before: MeterState, after: MeterState): readonly MeterSale[] {
  const basis = basisOf(before, after)
  const earlier = new Map(before.selections.map((selection) => [selection.code, selection]))
  // Selections come and go with the planogram; a fall of the machine's own total means that its meter was restarted.
  const restarted = after.total.count < before.total.count
  return after.selections.flatMap((selection) => {
    const now = basis(selection)
    if (!now) return []
    const was = restarted ? undefined : basisIn(earlier.get(selection.code), basis)
    const sold = difference(was, now)
    return sold.count === 0 ? [] : [{ selection: selection.code, prices: pricesOf(sold, selection.price) }]
  })
}

/** Where the machine has no counters since its start, those since the last reset count, and a reset restarts them. */
function basisOf(before: MeterState, after: MeterState): (selection: Selection) => Counter | undefined {
  const hasStart = (reading: MeterState) => reading.selections.some(({ sinceStart }) => sinceStart.count > 0)
  if (hasStart(after) || hasStart(before)) return ({ sinceStart }) => sinceStart
  return ({ sinceReset }) => sinceReset
}

const basisIn = (
  selection: Selection | undefined,
  basis: (selection: Selection) => Counter | undefined,
): Counter | undefined => selection && basis(selection)

/** A counter that is lower than before began again, so all of it is new. */
function difference(was: Counter | undefined, now: Counter): Counter {
  if (!was || now.count < was.count) return now
  const value = now.value === undefined || was.value === undefined ? undefined : now.value - was.value
  return { count: now.count - was.count, value: value !== undefined && value < 0 ? undefined : value }
}

/** The value taken, split over the units; the last ones carry what does not divide. The list price where no value is counted. */
export function pricesOf({ count, value }: Counter, price: number | undefined): readonly number[] {
  if (value === undefined) return Array.from({ length: count }, () => price ?? 0)
  const each = Math.floor(value / count)
  const odd = value - each * count
  return Array.from({ length: count }, (_, i) => (i < count - odd ? each : each + 1))
}
