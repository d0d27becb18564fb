/**
 * How much a slot holds, told only when observed history shows it (2.4): twice filled to the same level, and never seen
 * above it, is full. Once is where somebody happened to stop. Nothing is ever assumed.
 */

/** One unit more is a miscount put right or a vend that came back, not somebody filling up. */
const REFILL_MIN = 2
const REFILLS = 2

/** Levels read from the machine, in order of time. */
export function inferCapacity(levels: readonly number[]): number | null {
  const highest = Math.max(0, ...levels)
  let refills = 0
  for (let i = 1; i < levels.length; i += 1) {
    const [before = 0, after = 0] = [levels[i - 1], levels[i]]
    if (after === highest && after - before >= REFILL_MIN) refills += 1
  }
  return refills >= REFILLS ? highest : null
}

export interface KnownCapacity {
  readonly capacity: number | null
  readonly source: 'counted' | 'inferred' | null
}

export const UNKNOWN: KnownCapacity = { capacity: null, source: null }

/** A count on site stands; an inference stands until a level above it proves it wrong. */
export const stillHolds = ({ capacity, source }: KnownCapacity, level: number): boolean =>
  source === 'counted' || (capacity !== null && level <= capacity)
