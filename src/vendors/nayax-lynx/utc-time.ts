/** Times of Lynx are UTC by the name of their field, written with or without `Z` and with any number of decimals. */

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/
/** The platform did not exist before; it writes year 1 for "never". */
const FIRST_YEAR = '2000'

/** Epoch milliseconds; null for anything that is not such a time. */
export function readUtc(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const [match, date = '', time = '', decimals = '', offset = 'Z'] = TIME.exec(value.trim()) ?? []
  if (match === undefined || date < FIRST_YEAR) return null
  try {
    return Temporal.Instant.from(`${date}T${time}.${decimals.slice(0, 3).padEnd(3, '0')}${offset}`).epochMilliseconds
  } catch {
    return null
  }
}
