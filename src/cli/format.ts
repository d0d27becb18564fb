/** Formats and parses amounts and times. */
import { type Money, digitsOf } from '../kernel/currency.ts'
import { decimalOf } from '../kernel/minor-units.ts'
import { type AmountProblem, readTypedAmount } from '../kernel/typed-amount.ts'
import { UsageError } from './exit.ts'

export const amountOf = (amount: number, currency: string): Money => ({ amount, currency })

const PROBLEMS: Readonly<Record<AmountProblem, (currency: string) => string>> = {
  not_an_amount: (currency) => `is not an amount in ${currency}; write it like ${example(currency)}`,
  ambiguous: (currency) =>
    `can be read in two ways; write it without thousands separators, like ${decimalOf(123_450, digitsOf(currency))}`,
  too_many_digits: (currency) => `has more decimals than ${currency}; write it like ${example(currency)}`,
}

const example = (currency: string): string => decimalOf(350, digitsOf(currency))

/** Parses `3.50`, `3,50`, `$3.5` or `4` into minor units digit by digit, so that no float holds money. */
export function parseAmount(text: string, currency: string): number {
  const read = readTypedAmount(text, currency)
  if (!read.ok) throw new UsageError(`"${text}" ${PROBLEMS[read.problem](currency)}`)
  return read.amount
}

/** Times carry the offset of the operator's time zone, so the text already shows the operator's local time. */
export const formatTime = (time: string | null | undefined): string | undefined =>
  time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : undefined

export const totalOf = (totals: readonly { readonly type: string; readonly amount: number }[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0
