/**
 * The cash counters of a DEX file (CA3), and what a machine took between two readings. What can be collected is what went
 * into the box and the notes; coins in the tubes stay for change. A counter that cannot be understood is no number. Pure.
 */
import type { Segment } from './dex-text.ts'

/** Minor units of the file. Undefined where the machine counts nothing, or in a way that does not add up. */
export interface CashCounters {
  readonly sinceStart: number | undefined
  readonly sinceReset: number | undefined
}

/** Total, box, tubes and notes since the last reset (CA301 to CA304) and since the start (CA305 to CA308); CA309 and CA310 are the notes again. */
const SINCE_RESET = [0, 1, 2, 3, 8] as const
const SINCE_START = [4, 5, 6, 7, 9] as const

type ToCount = (field: string | undefined) => number | undefined

export function readCash(segments: readonly Segment[], digits: number, toCount: ToCount): CashCounters | undefined {
  const [only, ...more] = segments.filter(({ id }) => id === 'CA3')
  // Two coin mechanisms: which of them the box belongs to is not said.
  if (!only || more.length > 0) return undefined
  const read = (places: readonly number[]) =>
    collectable(places.map((place) => only.fields[place]).map(toCount), digits)
  const [sinceStart, sinceReset] = [read(SINCE_START), read(SINCE_RESET)]
  // Less since the start than since a reset: one of them was restarted, or they are in another order.
  if (sinceStart !== undefined && sinceReset !== undefined && sinceStart < sinceReset) return undefined
  return sinceStart === undefined && sinceReset === undefined ? undefined : { sinceStart, sinceReset }
}

/**
 * Machines count notes in minor units or in whole ones, in one place or another. Which it is shows the total, which is
 * what went into the box, the tubes and the notes. A total of 0 is a machine that counts no cash.
 */
function collectable(counters: readonly (number | undefined)[], digits: number): number | undefined {
  const [total, box, tubes, notes, notesAgain] = counters
  if (total === undefined || total === 0 || box === undefined || tubes === undefined) return undefined
  const rest = total - box - tubes
  const isWhole = notes !== undefined && notes * 10 ** digits === rest
  const isStated = isWhole || notes === rest || notesAgain === rest
  const hasNoNotes = rest === 0 && (notes ?? 0) === 0 && (notesAgain ?? 0) === 0
  return isStated || hasNoNotes ? box + rest : undefined
}

/** What the difference of two readings needs. */
export interface CashState {
  readonly cash?: CashCounters | undefined
  readonly resets?: number | undefined
  readonly total: { readonly count: number }
}

/** Null: it cannot be told. A counter that went back was reset or rolled over, and what it counted before is lost. */
export function cashBetween(before: CashState, after: CashState): number | null {
  const hasRestarted = after.total.count < before.total.count
  if (hasRestarted || !before.cash || !after.cash) return null
  const { sinceStart: was, sinceReset: wasSinceReset } = before.cash
  const { sinceStart: now, sinceReset: nowSinceReset } = after.cash
  if (was !== undefined || now !== undefined) return rise(was, now)
  return before.resets === after.resets ? rise(wasSinceReset, nowSinceReset) : null
}

const rise = (was: number | undefined, now: number | undefined): number | null =>
  was === undefined || now === undefined || now < was ? null : now - was
