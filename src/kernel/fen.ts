/** Whole fen (2.1). Money is never a float: every amount is created here and stays an integer. */
import assert from 'node:assert/strict'
import type { Brand } from './brand.ts'

export type Fen = Brand<number, 'Fen'>

export function fen(n: number): Fen {
  assert(Number.isSafeInteger(n), `not a whole number of fen: ${n}`)
  return n as Fen
}

export const ZERO = fen(0)

export const add = (...amounts: readonly Fen[]): Fen => fen(amounts.reduce((total, n) => total + n, 0))

/** Throws past 2^53: callers bound quantities first, so an overflow is a bug, never a rounded price. */
export const times = (price: Fen, quantity: number): Fen => fen(price * quantity)

/** The unit price from a box price (2.9), rounded; the supplier's invoice is final. */
export const eachOf = (box: Fen, contains: number): Fen => fen(Math.round(box / contains))

/** `1234` as `¥12.34`, for sentences people read. */
export function yuan(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}¥${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** An amount as a value of a text (TextParams). */
export const cny = (amount: number): { readonly amount: number; readonly currency: 'CNY' } => ({
  amount,
  currency: 'CNY',
})
