/** Pickup slots (4.4 rule 5): every full hour of the operator's day within the opening hours, over the next 7 days. */
import { PICKUP_DAYS } from '../../contract/limits.ts'
import { addDays, DAY, localDay, MINUTE, rfc3339 } from '../../kernel/clock.ts'

export interface PickupSlot {
  readonly id: string
  readonly title: string
  readonly at: number
  /** `at` on the wire. */
  readonly time: string
}

export interface PickupHours {
  readonly from: number
  readonly to: number
}

/** Slots begin at full hours; zones differ by quarters of an hour at the finest, so this long nothing changes. */
const SAME_FOR_MS = 15 * MINUTE
const KEPT = 16
const assessed = new Map<string, readonly PickupSlot[]>()

/** Those that begin after `now`. The list is long and the same for everyone, so it is made once a quarter hour. */
export function pickupSlots(now: number, timeZone: string, hours: PickupHours): readonly PickupSlot[] {
  const quarter = Math.floor(now / SAME_FOR_MS)
  const key = `${quarter} ${timeZone} ${hours.from} ${hours.to}`
  const known = assessed.get(key)
  if (known) return known
  const slots = slotsAfter(quarter * SAME_FOR_MS, timeZone, hours)
  if (assessed.size >= KEPT) assessed.clear()
  assessed.set(key, slots)
  return slots
}

function slotsAfter(now: number, timeZone: string, hours: PickupHours): readonly PickupSlot[] {
  const today = localDay(now, timeZone)
  const slots = new Map<number, PickupSlot>()
  for (let ahead = 0; ahead <= PICKUP_DAYS; ahead++) {
    const day = addDays(today, ahead)
    for (let hour = hours.from; hour < hours.to; hour++) {
      const text = `${String(hour).padStart(2, '0')}:00`
      const at = Temporal.PlainDateTime.from(`${day}T${text}`).toZonedDateTime(timeZone).epochMilliseconds
      // An hour the zone skips falls on the next one, whose own name then wins.
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
