/**
 * Decimal amounts as programs, spreadsheets and people write them, to whole minor units (cents, fen, yen) and back, digit by
 * digit: no float ever holds an amount. What cannot be read exactly is not read, and never rounded.
 */

export type DecimalSign = '.' | ','

/** Blanks (also the ones that do not break), apostrophes, and whichever of `.` and `,` is not the decimal sign. */
const GROUP_SIGNS: Readonly<Record<DecimalSign, string>> = {
  '.': ",' ’\u00A0\u2009\u202F",
  ',': ".' ’\u00A0\u2009\u202F",
}

/** Groups of exactly three digits with one and the same sign between them, or no groups; `.95` has no whole digits. */
const patternOf = (decimal: DecimalSign): RegExp =>
  new RegExp(`^(-?)(\\d{1,3}(?:([${GROUP_SIGNS[decimal]}])\\d{3}(?:\\3\\d{3})*)|\\d*)(?:\\${decimal}(\\d+))?$`)

const PATTERNS: Readonly<Record<DecimalSign, RegExp>> = { '.': patternOf('.'), ',': patternOf(',') }

/**
 * As spreadsheets write it: `1,234.5` with two digits and `.` is 123450. More digits than the currency has must be zeros.
 * `1,23` with the decimal sign `.` is unreadable: its group is too short to be thousands, so the sign is probably configured
 * wrong.
 */
export function minorOf(text: string, digits: number, decimal: DecimalSign): number | undefined {
  const match = PATTERNS[decimal].exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '', , fraction = ''] = match
  if (whole === '' && fraction === '') return undefined
  const kept = fraction.slice(0, digits).padEnd(digits, '0')
  if (/[^0]/.test(fraction.slice(digits))) return undefined
  const amount = Number(whole.replaceAll(/\D/g, '') + kept)
  if (!Number.isSafeInteger(amount)) return undefined
  return sign && amount ? -amount : amount
}

/** As programs write it: `1.50`, with a point and without groups. */
export const minorOfPlain = (text: string, digits: number): number | undefined =>
  /^-?\d+(?:\.\d+)?$/.test(text) ? minorOf(text, digits, '.') : undefined

/** From here on two amounts can be the same float, so it is not known which one was sent. */
const EXACT_BELOW = 1e15

/** A JSON number by its shortest text, which is what the sender wrote as long as it has at most 15 digits. */
export function minorOfNumber(value: unknown, digits: number): number | undefined {
  // Very large and very small numbers are written with an exponent, which is no amount.
  const amount = typeof value === 'number' ? minorOfPlain(String(value), digits) : undefined
  return amount !== undefined && Math.abs(amount) < EXACT_BELOW ? amount : undefined
}

/** `123450` with two digits is `1234.50`: a point, all digits of the currency, no groups. For documents, not for people. */
export function decimalOf(amount: number, digits: number): string {
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return `${amount < 0 ? '-' : ''}${digits === 0 ? whole : `${whole}.${text.slice(-digits)}`}`
}

/** The JSON number of an amount: 150 of a currency with two digits is `1.5`. */
export const numberOfMinor = (amount: number, digits: number): number => Number(decimalOf(amount, digits))
