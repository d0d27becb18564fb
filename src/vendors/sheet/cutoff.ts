/** The weekly hour until which a wholesaler takes orders for its next delivery, such as `Tue 12:00`. */
type Cutoff = Readonly<NonNullable<ReturnType<typeof parseCutoff>>>

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** `weekday`: 1 is Monday, as in ISO 8601. */
export function parseCutoff(text: string) {
  const match = /^([A-Za-z]{3,9}) ([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim())
  const [, day = '', hour, minute] = match ?? []
  const weekday = DAYS.findIndex((name) => name.toLowerCase().startsWith(day.toLowerCase())) + 1
  return match && weekday > 0 ? { weekday, hour: Number(hour), minute: Number(minute) } : undefined
}

/**
 * What to tell about an order that is placed now. It waits for the next cut-off in any case; it counts as late while the last
 * one is nearer than the next.
 */
export function lateWarnings(
  cutoff: Cutoff | undefined,
  leadDays: number | undefined,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): readonly string[] {
  if (!cutoff) return []
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const next = nextCutoff(cutoff, here)
  const last = next.subtract({ weeks: 1 })
  const isLate = now - last.epochMilliseconds < next.epochMilliseconds - now
  if (!isLate) return []
  const time = next.toPlainTime().toString({ smallestUnit: 'minute' })
  const arrival = leadDays === undefined ? '' : `, expected on ${next.toPlainDate().add({ days: leadDays }).toString()}`
  return [
    `The cut-off of ${DAYS[cutoff.weekday - 1]} ${time} has passed: the order goes with the next one, on ${next.toPlainDate().toString()}${arrival}`,
  ]
}

/** The first one that is not over yet. */
function nextCutoff({ weekday, hour, minute }: Cutoff, here: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const at = here
    .add({ days: (weekday - here.dayOfWeek + 7) % 7 })
    .withPlainTime(Temporal.PlainTime.from({ hour, minute }))
  return Temporal.ZonedDateTime.compare(at, here) < 0 ? at.add({ weeks: 1 }) : at
}
