/** When the operator wakes up. Pure. */
import type { StoredEvent } from '../../record/events/index.ts'
import { addDays, localDay, MINUTE } from '../../kernel/clock.ts'

/** Shifts that events start: at most one in this time. */
const EVENT_PAUSE_MS = 15 * MINUTE
const DAYS_AHEAD = 8

export interface WakeSettings {
  readonly wakeAt: readonly string[]
  readonly weekdays: readonly number[]
  readonly pausedUntil: number | undefined
}

const instantOf = (day: string, time: string, timeZone: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds

/** The first wake-up after an instant; undefined: there is none. A pause moves it behind its end. */
export function nextWake(
  { wakeAt, weekdays, pausedUntil }: WakeSettings,
  after: number,
  timeZone: string,
): number | undefined {
  const from = Math.max(after, pausedUntil ?? 0)
  const today = localDay(from, timeZone)
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    const day = addDays(today, ahead)
    if (!weekdays.includes(Temporal.PlainDate.from(day).dayOfWeek)) continue
    const times = wakeAt.map((time) => instantOf(day, time, timeZone)).filter((at) => at > from)
    if (times.length > 0) return Math.min(...times)
  }
  return undefined
}

/** A wake-up has passed since they were last looked at, and no pause holds it back. */
export function isWakeDue(settings: WakeSettings, wokenAt: number, now: number, timeZone: string): boolean {
  if (settings.pausedUntil !== undefined && now < settings.pausedUntil) return false
  const due = nextWake({ ...settings, pausedUntil: undefined }, wokenAt, timeZone)
  return due !== undefined && due <= now
}

/** After these there may be something to do. */
const MATTERS = new Set([
  'purchase_arrived',
  'purchase_cancelled',
  'purchase_short',
  'purchase_outcome_placed',
  'purchase_outcome_not_placed',
  'late_order_found',
  'run_received',
  'decision_approved',
  'decision_rejected',
  'question_answered',
  'emergency_stop_released',
  'rules_file_stop_released',
  // A price list, a reply or counts.
  'file_used',
])

export type Wake = 'reminder' | 'event' | undefined

/** What an event means for the operator; its own acts mean nothing. */
export function wakeOf({ code, source, by, params }: StoredEvent, name: string): Wake {
  if (source !== 'service' || code === undefined) return undefined
  if (code === 'reminder_due') return params?.['by'] === name ? 'reminder' : undefined
  return MATTERS.has(code) && by?.name !== name ? 'event' : undefined
}

/** What no event tells, because it comes with time. */
export interface Watched {
  /** Machines that were not read for a while. */
  readonly silent: readonly string[]
  /** Purchases that should have arrived. */
  readonly late: readonly string[]
  /** Less is left of the day or the week than one purchase may cost. */
  readonly isBudgetUsed: boolean
}

/** A machine fell silent or is back, a delivery became late, or there is budget again. At the first look everything is old. */
export function hasNews(before: Watched | undefined, now: Watched): boolean {
  if (!before) return false
  const hasOther = (some: readonly string[], others: readonly string[]) => some.some((id) => !others.includes(id))
  return (
    hasOther(now.silent, before.silent) ||
    hasOther(before.silent, now.silent) ||
    hasOther(now.late, before.late) ||
    (before.isBudgetUsed && !now.isBudgetUsed)
  )
}

export interface Occasion {
  readonly wakes: ReadonlySet<Wake>
  readonly hasNews: boolean
  /** When something last started a shift between wake-ups. */
  readonly eventAt: number
  readonly now: number
}

/** `later`: at most one in this time; a reminder is not slowed. The clock may have been set back. */
export function triggerOf({
  wakes,
  hasNews: isNew,
  eventAt,
  now,
}: Occasion): 'reminder' | 'event' | 'later' | undefined {
  if (wakes.has('reminder')) return 'reminder'
  if (!wakes.has('event') && !isNew) return undefined
  return now - eventAt < EVENT_PAUSE_MS && now >= eventAt ? 'later' : 'event'
}
