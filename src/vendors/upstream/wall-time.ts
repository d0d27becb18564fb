/** `yyyy-MM-dd HH:mm:ss` without an offset: local times of an upstream's zone. */
const WALL_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The zone of both Acme platforms. */
export const SHANGHAI = 'Asia/Shanghai'

/** Null for blank texts, for the zero date that means "unknown", and for days that do not exist. */
export function fromWallTime(value: unknown, timeZone: string): number | null {
  if (typeof value !== 'string' || !WALL_TIME.test(value)) return null
  try {
    return Temporal.PlainDateTime.from(value).toZonedDateTime(timeZone).epochMilliseconds
  } catch {
    return null
  }
}

/** Truncated to whole seconds. */
export const toWallTime = (epochMs: number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(epochMs))
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'second' })
    .replace('T', ' ')
