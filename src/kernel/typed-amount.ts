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
  const plain = typed.normalize('NFKC').replaceAll('。', '.').trim()
  const minor = minorWordAmount(plain, currency)
  if (minor !== undefined) return { ok: true, amount: minor }
  const text = withoutSign(plain, currency)
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

const OTHER_SIGNS: Readonly<Record<string, readonly string[]>> = { JPY: ['¥'], CNY: ['元', '块'] }

/** The words for minor units, and how many of them one is. */
const CENTS = { cents: 1, cent: 1, ct: 1, '¢': 1 }
const MINOR_WORDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  USD: CENTS,
  CAD: CENTS,
  AUD: CENTS,
  NZD: CENTS,
  SGD: CENTS,
  EUR: CENTS,
  GBP: { pence: 1, p: 1 },
  CNY: { 分: 1, 角: 10, 毛: 10 },
}

/** `50 cents`, `5角`: whole numbers only. */
function minorWordAmount(text: string, currency: CurrencyCode): number | undefined {
  const [, number = '', word = ''] = /^(\d{1,6}) ?([^\d\s.,]+)$/.exec(text) ?? []
  const of = MINOR_WORDS[currency]?.[word.toLowerCase()]
  return of === undefined ? undefined : Number(number) * of
}

/** Cuts the sign or the letters of the currency off, in front of the amount or behind it. */
function withoutSign(text: string, currency: CurrencyCode): string {
  const signs = [currency, signOf(currency).trim(), ...(OTHER_SIGNS[currency] ?? [])]
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
