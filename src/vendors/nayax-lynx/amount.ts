/**
 * Amounts as Lynx writes them, to whole minor units: digit by digit, no float arithmetic. A JSON number is a double, so
 * its shortest text is what the platform meant, as long as that has no more digits than a double keeps.
 */

/** Every decimal of up to 15 digits survives the way through a double and back. */
const EXACT_DIGITS = 15
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** `1.5` of a currency with two digits is 150. Undefined for anything else than an exact amount of that currency. */
export const minorOfNumber = (value: unknown, digits: number): number | undefined =>
  // Very large and very small numbers are written with an exponent, which is no amount.
  typeof value === 'number' ? minorOfText(String(value), digits) : undefined

/** As printed in a text: `1.50`, with a point and without grouping. */
export function minorOfText(text: string, digits: number): number | undefined {
  const [match, sign = '', whole = '', decimals = ''] = DECIMAL.exec(text) ?? []
  if (match === undefined) return undefined
  const significant = whole.replace(/^0+/, '')
  const fraction = decimals.replace(/0+$/, '')
  if (fraction.length > digits || significant.length + digits > EXACT_DIGITS) return undefined
  const amount = Number(significant + fraction.padEnd(digits, '0'))
  return sign && amount ? -amount : amount
}

/** The JSON number of an amount: 150 of a currency with two digits is written as `1.5`. */
export function numberOfMinor(amount: number, digits: number): number {
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const split = text.length - digits
  const value = Number(`${text.slice(0, split)}.${text.slice(split)}`)
  return amount < 0 ? -value : value
}
