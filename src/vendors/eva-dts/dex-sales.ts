/**
 * What a machine sold between two readings of its meters. A meter only counts, so sales are differences: the first
 * reading is where counting begins, and a meter that went back was restarted. Pure.
 */
import type { Counter, Reading, Selection } from './dex-reading.ts'

/** What a difference needs of a reading. */
export type MeterState = Pick<Reading, 'total' | 'selections'> & { readonly resets?: number | undefined }

type MeterSale = Readonly<ReturnType<typeof saleOf>>

type Basis = (selection: Selection) => Counter | undefined

/** The selection of sales that a machine counts without saying of which. */
const ANY_SELECTION = 'any'

/** Empty when nothing was sold. Readings are of one machine, `before` the earlier one. */
export function salesBetween(before: MeterState, after: MeterState): readonly MeterSale[] {
  if (before.selections.length === 0 && after.selections.length === 0) return totalBetween(before, after)
  const { basis, hasRestarted } = basisOf(before, after)
  const earlier = new Map(before.selections.map((selection) => [selection.code, selection]))
  const counterBefore = ({ code }: Selection): Counter | undefined => {
    const was = earlier.get(code)
    return hasRestarted || !was ? undefined : basis(was)
  }
  const counted = after.selections.flatMap((selection) => {
    const now = basis(selection)
    return now ? [{ selection, now, was: counterBefore(selection) }] : []
  })
  const known = counted.filter(({ was }) => hasRestarted || was)
  const sold = known.map(({ selection, was, now }) => saleOf(selection, difference(was, now)))
  const rest = restOf(before, after, hasRestarted, sold)
  // A selection that was never read before may be new, or may have counted for years on a board that was switched off.
  const found = counted
    .filter(({ was }) => !hasRestarted && !was)
    .map(({ selection, now }) => {
      const count = Math.min(now.count, rest.take(now.count))
      return saleOf(selection, count === now.count ? now : { count, value: undefined })
    })
  const all = new Map([...sold, ...found].map((sale) => [sale.selection, sale]))
  return after.selections.flatMap(({ code }) => {
    const sale = all.get(code)
    return sale && sale.count > 0 ? [sale] : []
  })
}

/** Of a machine that reports no selections: the vends and the money of its total. */
function totalBetween(before: MeterState, after: MeterState): readonly MeterSale[] {
  const wholeMachine = ({ total, ...state }: MeterState): MeterState => ({
    ...state,
    total,
    selections: [{ ...WHOLE_MACHINE, sinceStart: total, sinceReset: total.sinceReset }],
  })
  return salesBetween(wholeMachine(before), wholeMachine(after))
}

const WHOLE_MACHINE = {
  code: ANY_SELECTION,
  price: undefined,
  name: undefined,
  capacity: undefined,
  level: undefined,
  lastEvent: undefined,
}

/** What the machine's own total rose by beyond these sales; no limit where it has no total. */
function restOf(before: MeterState, after: MeterState, hasRestarted: boolean, sold: readonly MeterSale[]) {
  const isKnown = !hasRestarted && before.total.count > 0 && after.total.count > 0
  const rise = after.total.count - before.total.count
  let left = isKnown ? Math.max(0, rise - sold.reduce((sum, { count }) => sum + count, 0)) : Number.POSITIVE_INFINITY
  return {
    take(count: number): number {
      const taken = Math.min(count, left)
      left -= taken
      return taken
    },
  }
}

/** Where the machine has no counters since its start, those since the last reset count, and a reset restarts them. */
function basisOf(before: MeterState, after: MeterState): { readonly basis: Basis; readonly hasRestarted: boolean } {
  const hasStart = ({ selections }: MeterState) => selections.some(({ sinceStart }) => (sinceStart?.count ?? 0) > 0)
  const isSinceStart = hasStart(after) || hasStart(before)
  const basis: Basis = isSinceStart ? ({ sinceStart }) => sinceStart : ({ sinceReset }) => sinceReset
  // Selections come and go with the planogram; a fall of the machine's own total means that its meter was restarted.
  const hasFallen = after.total.count < before.total.count && mostHaveFallen(before, after, basis)
  const wasReset = before.resets !== undefined && after.resets !== undefined && before.resets !== after.resets
  return { basis, hasRestarted: hasFallen || (!isSinceStart && wasReset) }
}

/** The total also falls with one selection that was cleared; then the counters of the others go on. */
function mostHaveFallen(before: MeterState, after: MeterState, basis: Basis): boolean {
  const now = new Map(after.selections.map((selection) => [selection.code, basis(selection)?.count]))
  let [fallen, all] = [0, 0]
  for (const selection of before.selections) {
    const [was, is] = [basis(selection)?.count ?? 0, now.get(selection.code)]
    if (is === undefined) continue
    all += was
    if (is < was) fallen += was
  }
  return fallen * 2 >= all
}

/** The list price where the machine counts no value. */
const saleOf = ({ code, price = 0 }: Selection, { count, value }: Counter) => ({
  selection: code,
  count,
  /** Minor units taken for all of them. */
  value: value ?? count * price,
})

/** A counter that is lower than before began again, so all of it is new. */
function difference(was: Counter | undefined, now: Counter): Counter {
  if (!was || now.count < was.count) return now
  // Before its first vend a counter may state no value.
  const valueBefore = was.value ?? (was.count === 0 ? 0 : undefined)
  const value = now.value === undefined || valueBefore === undefined ? undefined : now.value - valueBefore
  return { count: now.count - was.count, value: value !== undefined && value < 0 ? undefined : value }
}

/** The value taken, split over the units; the last ones carry what does not divide. */
export function splitValue(count: number, value: number): readonly number[] {
  const each = Math.floor(value / count)
  const odd = value - each * count
  return Array.from({ length: count }, (_, i) => (i < count - odd ? each : each + 1))
}

/** The times of the first and the last of units that were sold evenly; the others are at equal distances between them. */
interface UnitTimes {
  readonly first: number
  readonly at: number
}

/** Some time after `from` and before `to`: nothing says when, so none stands at either end. */
export function spreadBetween(from: number, to: number, count: number): UnitTimes {
  const half = Math.max(0, to - from) / count / 2
  const at = Math.floor(to - half)
  return { first: Math.min(at, Math.ceil(from + half)), at }
}

/** After `from`, and the last one at `to`. */
export const spreadTo = (from: number, to: number, count: number): UnitTimes => ({
  first: Math.ceil(from + (to - from) / count),
  at: to,
})
