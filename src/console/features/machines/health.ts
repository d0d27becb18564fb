/** Stock and connection state of machines, computed from the roster and the plan. */
import type { Location } from '../../../contract/shapes/location.ts'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { type StockState, stockState } from '../../../kernel/stock-state.ts'
import { HOUR } from '../../lib/text/format.ts'
import type { Tone } from '../../lib/text/tone.ts'

/** Machines are synced every hour; a machine that missed two syncs is not reporting. */
export const NOT_REPORTING_AFTER_MS = 2 * HOUR

export const STOCK_TONE: Readonly<Record<StockState, Tone>> = { unknown: 'warn', empty: 'bad', low: 'warn', ok: 'ok' }

export interface Health {
  readonly slots: number
  readonly empty: number
  readonly low: number
  readonly units: number
  /** Of these, what the store room gives. */
  readonly stored: number
  /** Units there of those that fit, in slots of which both are known. */
  readonly filled: number
  readonly capacity: number
}

/** Undefined where no capacity is known. */
export const fillShare = ({ filled, capacity }: Health): number | undefined =>
  capacity === 0 ? undefined : filled / capacity

const NONE: Health = { slots: 0, empty: 0, low: 0, units: 0, stored: 0, filled: 0, capacity: 0 }

export function healthByLocation(entries: readonly PlanEntry[]): (location: string) => Health {
  const map = new Map<string, Health>()
  for (const {
    location,
    stock,
    capacity,
    days_of_cover: cover,
    recommendation,
    from_storeroom: stored = 0,
  } of entries) {
    const known = map.get(location) ?? NONE
    const state = stockState(stock, cover)
    const holds = stock === null || !capacity ? 0 : capacity
    map.set(location, {
      slots: known.slots + 1,
      empty: known.empty + (state === 'empty' ? 1 : 0),
      low: known.low + (state === 'low' ? 1 : 0),
      units: known.units + (recommendation.quantity ?? 0),
      stored: known.stored + stored,
      filled: known.filled + Math.min(stock ?? 0, holds),
      capacity: known.capacity + holds,
    })
  }
  return (location) => map.get(location) ?? NONE
}

/** Machines of which nothing is reported by design are not among them: an export cannot say whether a machine is online. */
export const findNotReporting = (locations: readonly Location[], now: number): Location[] =>
  locations.filter((location) => !['online', 'unknown'].includes(presence(location, now)))

export type Presence = 'online' | 'offline' | 'not_reporting' | 'never' | 'unknown'

export function presence({ online, last_synced_at: seen }: Location, now: number): Presence {
  if (seen === undefined) return 'never'
  if (online === false) return 'offline'
  if (now - Date.parse(seen) > NOT_REPORTING_AFTER_MS) return 'not_reporting'
  // The platform cannot know.
  return online === undefined ? 'unknown' : 'online'
}
