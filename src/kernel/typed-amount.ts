/**
 * Amounts as people type them, in the console and on the command line. `.` and `,` are both read as the decimal sign where
 * only one reading is possible: `4,50` is 4.50 and never 450, and what can be read in two ways is refused, for it may become
 * a live price.
 */
import { type CurrencyCode, digitsOf, signOf } from './currency.ts'
import { type DecimalSign, minorOf } from './minor-units.ts'

export type AmountProblem = 'not_an_amount' | 'ambiguous' | 'too_many_digits'

export type TypedAmount =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly problem: AmountProblem }

const amountProblem = (problem: AmountProblem): TypedAmount => ({ ok: false, problem })

/** `1,234.50`, `1.234,50`, `$4`, `4,50 EUR`. Only amounts of this currency that are not below zero. */
export function readTypedAmount(typed: string, currency: CurrencyCode): TypedAmount {
  const text = withoutSign(typed.normalize('NFKC').replaceAll('。', '.').trim(), currency)
  const digits = digitsOf(currency)
  const decimal = decimalSignOf(text, digits)
  if (decimal === 'ambiguous') return amountProblem('ambiguous')
  if (text.startsWith('-')) return amountProblem('not_an_amount')
  const amount = minorOf(text, digits, decimal)
  if (amount !== undefined) return { ok: true, amount }
  const [whole = '', fraction = ''] = text.split(decimal)
  // With the fraction cut off it would be an amount, so only the digits are too many.
  const isTooExact =
    /^\d+$/.test(fraction) && fraction.length > digits && minorOf(whole || '0', digits, decimal) !== undefined
  return amountProblem(isTooExact ? 'too_many_digits' : 'not_an_amount')
}

/** Cuts the sign or the letters of the currency off, in front of the amount or behind it. */
function withoutSign(text: string, currency: CurrencyCode): string {
  const signs = [currency, signOf(currency).trim(), ...(currency === 'JPY' ? ['¥'] : [])]
  const upper = text.toUpperCase()
  const sign = signs.find((one) => upper.startsWith(one) || upper.endsWith(one))
  if (sign === undefined) return text
  return (upper.startsWith(sign) ? text.slice(sign.length) : text.slice(0, -sign.length)).trim()
}

const GROUPED_ONCE = /^[1-9]\d{0,2}[.,]\d{3}$/
const otherSign = (sign: DecimalSign): DecimalSign => (sign === '.' ? ',' : '.')

/** Which sign stands before the decimals; where there is none, the one that groups nothing. */
function decimalSignOf(text: string, digits: number): DecimalSign | 'ambiguous' {
  const signs = text.match(/[.,]/g) as DecimalSign[] | null
  const last = signs?.at(-1)
  if (!signs || last === undefined) return '.'
  // Of two different signs the last one stands before the decimals; the same sign twice groups thousands.
  if (signs.length > 1) return signs.every((sign) => sign === last) ? otherSign(last) : last
  if (!GROUPED_ONCE.test(text)) return last
  // `1,234`: thousands, or three decimals.
  if (digits === 0) return otherSign(last)
  return digits === 3 && last === '.' ? '.' : 'ambiguous'
}
