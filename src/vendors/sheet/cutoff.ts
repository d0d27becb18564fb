/** The weekly hour until which a wholesaler takes orders for its next delivery, such as `Tue 12:00`. */
type Cutoff = Readonly<NonNullable<ReturnType<typeof parseCutoff>>>

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const CHINESE_DAYS = ['一', '二', '三', '四', '五', '六', '日天']

/** A day by its English name or the first letters of it, or in Chinese; 1 is Monday, as in ISO 8601, and 0 is none. */
function weekdayOf(day: string): number {
  const [, chinese] = /^(?:周|星期|礼拜|週)([一二三四五六日天])$/.exec(day) ?? []
  return chinese === undefined
    ? DAYS.findIndex((name) => day.length > 2 && name.toLowerCase().startsWith(day.toLowerCase())) + 1
    : CHINESE_DAYS.findIndex((names) => names.includes(chinese)) + 1
}

/** 24 hours, with or without minutes, or 12 hours with am or pm: `12:00`, `12`, `2 pm`, `12点`, `9点30分`. */
function timeOf(time: string): { readonly hour: number; readonly minute: number } | undefined {
  const match = /^(\d{1,2})(?:[:.点时](?:([0-5]\d)分?)?)?(?: ?([ap])\.?m\.?)?$/i.exec(time)
  if (!match) return undefined
  const [hour, minute, half] = [Number(match[1]), Number(match[2] ?? 0), match[3]?.toLowerCase()]
  if (half === undefined) return hour < 24 ? { hour, minute } : undefined
  return hour >= 1 && hour <= 12 ? { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute } : undefined
}

/** `Tue 12:00`, `tuesday 12`, `Tuesday, 2 pm`, `周二 12:00`, `星期二12点`. */
export function parseCutoff(text: string) {
  const match = /^(\p{L}+?)(?:,? +|(?<=\p{Script=Han}))(\d.*)$/u.exec(text.normalize('NFKC').trim())
  const [, day = '', time = ''] = match ?? []
  const weekday = weekdayOf(day)
  const at = timeOf(time)
  return weekday > 0 && at ? { weekday, ...at } : undefined
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
