/** Stock and connection state of machines, from the roster and the plan. */
import type { Location } from '../../../contract/shapes/location.ts'
import type { MachineVisit } from '../../../contract/shapes/replenishment.ts'
import { type Presence, presenceOf } from '../../../kernel/stock-state.ts'
import type { StockState } from '../../../kernel/stock-state.ts'
import type { Tone } from '../../lib/text/tone.ts'

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

export function healthByLocation(visits: readonly MachineVisit[]): (location: string) => Health {
  const map = new Map(
    visits.flatMap(({ location, empty = 0, stock }) => {
      if (!stock) return []
      const { from_storeroom: stored, ...figures } = stock
      return [[location, { ...figures, stored, empty }] as const]
    }),
  )
  return (location) => map.get(location) ?? NONE
}

export const presence = ({ online, last_synced_at: seen }: Location, now: number): Presence =>
  presenceOf({ online, lastSyncedAt: seen === undefined ? undefined : Date.parse(seen) }, now)
