/**
 * Infers how much a slot holds from reported stock: two refills to the same level, never exceeded, show the
 * capacity. One refill may have been partial.
 */

/** One unit more is a corrected count or a returned item, not a refill. */
const REFILL_MIN = 2
const REFILLS = 2

/** `levels` as the machine reported them, oldest first. */
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
  readonly source: 'told' | 'counted' | 'inferred' | null
}

export const UNKNOWN: KnownCapacity = { capacity: null, source: null }

/** A counted capacity is never contradicted; an inferred one is by a level above it. */
export const isCapacityConsistent = ({ capacity, source }: KnownCapacity, level: number | null): boolean =>
  source === 'counted' || (capacity !== null && (level === null || level <= capacity))

/** What was counted on site, else what the platform states, else what was inferred and is not contradicted by the level. */
export function capacityOf(known: KnownCapacity, reported: number | undefined, level: number | null): KnownCapacity {
  if (known.source === 'counted') return known
  if (reported !== undefined) return { capacity: reported, source: 'told' }
  return known.source === 'inferred' && isCapacityConsistent(known, level) ? known : UNKNOWN
}
