/**
 * Times in exports: ISO 8601, or the operator's own way of writing dates. Which of day and month comes first cannot be
 * seen from the digits, so it is a setting, and without it such a date is unreadable.
 */

export type DateOrder = 'mdy' | 'dmy'

export type SheetTime = Readonly<NonNullable<ReturnType<typeof toTime>>>

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:\s*([AaPp])\.?[Mm]\.?)?`
const ISO = new RegExp(String.raw`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})[T\s]+${CLOCK}\s*(Z|[+-]\d{2}:?\d{2})?$`)
const NUMERIC = new RegExp(String.raw`^(\d{1,2})[./-](\d{1,2})[./-](\d{4}),?\s+${CLOCK}$`)

export function readSheetTime(
  text: string,
  { timeZone, dateOrder }: { readonly timeZone: string; readonly dateOrder?: DateOrder | undefined },
) {
  const plain = text.trim()
  const iso = ISO.exec(plain)
  if (iso) {
    const [, year, month, day, hour, minute, second, half, offset] = iso
    return toTime([year, month, day], [hour, minute, second], half, offset, timeZone)
  }
  const numeric = NUMERIC.exec(plain)
  if (!numeric || dateOrder === undefined) return undefined
  const [, first, middle, year, hour, minute, second, half] = numeric
  const [month, day] = dateOrder === 'mdy' ? [first, middle] : [middle, first]
  return toTime([year, month, day], [hour, minute, second], half, undefined, timeZone)
}

type Digits = readonly (string | undefined)[]

function toTime(
  date: Digits,
  [hour, ...rest]: Digits,
  half: string | undefined,
  offset: string | undefined,
  timeZone: string,
) {
  const hours = hourOfDay(Number(hour), half)
  if (hours === undefined) return undefined
  const twoDigits = (digits: string | undefined) => (digits ?? '').padStart(2, '0')
  const wall = `${date.map(twoDigits).join('-')}T${[String(hours), ...rest].map(twoDigits).join(':')}`
  try {
    const local = Temporal.PlainDateTime.from(wall)
    // The digits of the export: the same for every re-export, also after the connection's time zone was corrected.
    const stamp = local.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')
    if (offset === undefined) return { epochMs: local.toZonedDateTime(timeZone).epochMilliseconds, stamp }
    const { epochMilliseconds } = Temporal.Instant.from(`${wall}${offset}`)
    const utc = Temporal.Instant.fromEpochMilliseconds(epochMilliseconds).toString({ smallestUnit: 'second' })
    return { epochMs: epochMilliseconds, stamp: utc.replaceAll(/[-:]/g, '') }
  } catch {
    return undefined
  }
}

/** `12:30 AM` is half past midnight. */
function hourOfDay(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}
