/**
 * The only source of time. Instants are epoch milliseconds inside and in SQL, RFC 3339 with an offset on the wire; days and
 * local times need a zone and go through Temporal.
 */
export interface Clock {
  now(): number
  /** Monotonic milliseconds: for waits that must not depend on changes of the system clock. */
  elapsed(): number
}

const elapsed = () => performance.now()

export const systemClock: Clock = { now: () => Date.now(), elapsed }

/** A clock that starts at the given instant and then runs (VENDOPS_CLOCK). */
export function startingAt(epochMs: number): Clock {
  const offset = epochMs - Date.now()
  return { now: () => Date.now() + offset, elapsed }
}

/** A clock that moves only when told to, for tests and the fast simulation. */
export function manualClock(epochMs: number): Clock & { set(ms: number): void; advance(ms: number): void } {
  let now = epochMs
  return {
    now: () => now,
    elapsed: () => now,
    set: (ms) => void (now = ms),
    advance: (ms) => void (now += ms),
  }
}

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

interface Offset {
  readonly from: number
  readonly until: number
  readonly text: string
  readonly ms: number
}

const offsets = new Map<string, Offset>()

/** The offset of a zone at an instant. Memoised per zone: one lookup is valid from one transition to the next. */
function offsetAt(epochMs: number, timeZone: string): Offset {
  const hit = offsets.get(timeZone)
  if (hit && epochMs >= hit.from && epochMs < hit.until) return hit
  const zoned = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone)
  // One millisecond later, so that a transition exactly at this instant counts as the previous one.
  const before = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  const fresh = {
    from: before?.epochMilliseconds ?? -Infinity,
    until: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
    text: zoned.offset,
    ms: zoned.offsetNanoseconds / 1e6,
  }
  offsets.set(timeZone, fresh)
  return fresh
}

/** RFC 3339 with the zone's offset: `2026-09-10T08:01:02.000+08:00`. */
export function rfc3339(epochMs: number, timeZone = 'UTC'): string {
  const offset = offsetAt(epochMs, timeZone)
  return wallText(Math.trunc(epochMs + offset.ms)) + offset.text
}

const DAYS_CACHED = 1000
const dayTexts = new Map<number, string>()
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** `2026-09-10`, by days since 1970. Memoised: a reply may contain 100,000 instants of a few days. */
function dayText(day: number): string {
  let text = dayTexts.get(day)
  if (text === undefined) {
    text = new Date(day * DAY).toISOString().slice(0, -14)
    if (dayTexts.size >= DAYS_CACHED) dayTexts.clear()
    dayTexts.set(day, text)
  }
  return text
}

/** `2026-09-10T08:01:02.000`. */
function wallText(ms: number): string {
  const day = Math.floor(ms / DAY)
  const rest = ms - day * DAY
  const fraction = rest % SECOND
  const hours = TWO_DIGITS[Math.floor(rest / HOUR)]!
  const minutes = TWO_DIGITS[Math.floor(rest / MINUTE) % 60]!
  const seconds = TWO_DIGITS[Math.floor(rest / SECOND) % 60]!
  return `${dayText(day)}T${hours}:${minutes}:${seconds}.${fraction === 0 ? '000' : String(fraction).padStart(3, '0')}`
}

/** Epoch ms of an RFC 3339 text that carries an offset; undefined for anything else. */
export function parseRfc3339(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const ms = Date.parse(text.toUpperCase())
  return Number.isNaN(ms) ? undefined : ms
}

/** The local calendar day at an instant, `2026-09-10`. */
export const localDay = (epochMs: number, timeZone: string): string =>
  dayText(Math.floor((epochMs + offsetAt(epochMs, timeZone).ms) / DAY))

/** The instant at which a local calendar day begins (a day may have 23 or 25 hours). */
export const startOfDay = (day: string, timeZone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds

export const addDays = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

/** Whether Temporal accepts it as an IANA name; Temporal also takes offsets and whole dates, which do not count. */
export function isTimeZone(name: string): boolean {
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return timeZoneId.toLowerCase() === name.toLowerCase() && !/^[+-]/.test(name)
  } catch {
    return false
  }
}
