/** Pickup slots: every full hour of the operator's day within the opening hours, over the next 7 days. */
import type { Config } from '../../../config.ts'
import { PICKUP_DAYS } from '../../../contract/limits.ts'
import { BoundedMap } from '../../../lib/caches.ts'
import { addDays, DAY, localDay, MINUTE, rfc3339 } from '../../../kernel/clock.ts'

declare module '../../../context.ts' {
  interface Context {
    readonly pickupSlots: PickupCalendar
  }
}

export interface PickupSlot {
  readonly id: string
  readonly title: string
  readonly at: number
  /** `at` on the wire. */
  readonly time: string
}

/** The slots that begin after `now`. */
export type PickupCalendar = (now: number) => readonly PickupSlot[]

/** Slots begin at full hours, and time zones differ by quarters of an hour at the finest. */
const CACHE_STEP_MS = 15 * MINUTE
const CACHED_LISTS_MAX = 16

/** The list is long and the same for everyone, so it is computed once per quarter of an hour. */
export function pickupCalendar(config: Pick<Config, 'timeZone' | 'pickupHours'>): PickupCalendar {
  const cachedLists = new BoundedMap<string, readonly PickupSlot[]>(CACHED_LISTS_MAX)
  return (now) => {
    const quarter = Math.floor(now / CACHE_STEP_MS)
    const key = `${config.timeZone} ${quarter}`
    const known = cachedLists.get(key)
    if (known) return known
    const slots = slotsAfter(quarter * CACHE_STEP_MS, config)
    cachedLists.set(key, slots)
    return slots
  }
}

function slotsAfter(
  now: number,
  { timeZone, pickupHours }: Pick<Config, 'timeZone' | 'pickupHours'>,
): readonly PickupSlot[] {
  const today = localDay(now, timeZone)
  const slots = new Map<number, PickupSlot>()
  for (let daysAhead = 0; daysAhead <= PICKUP_DAYS; daysAhead++) {
    const day = addDays(today, daysAhead)
    for (let hour = pickupHours.from; hour < pickupHours.to; hour++) {
      const text = `${String(hour).padStart(2, '0')}:00`
      const at = Temporal.PlainDateTime.from(`${day}T${text}`).toZonedDateTime(timeZone).epochMilliseconds
      // An hour that daylight saving skips falls on the next one, whose own slot then replaces it.
      if (at > now && at <= now + PICKUP_DAYS * DAY)
        slots.set(at, {
          id: `slot_${day.replaceAll('-', '')}_${text.replace(':', '')}`,
          title: `Pickup ${day} ${text}`,
          at,
          time: rfc3339(at, timeZone),
        })
    }
  }
  return [...slots.values()]
}

const SLOT_ID = /^slot_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)$/

/** The title of a slot that may no longer be offered. */
export const titleOfSlot = (id: string | null): string =>
  SLOT_ID.test(id ?? '') ? (id ?? '').replace(SLOT_ID, 'Pickup $1-$2-$3 $4:$5') : 'Pickup'
