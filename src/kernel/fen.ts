/**
 * Whole minor units of the deployment's currency: fen of CNY, cents of USD, yen. Money is never a float: every amount
 * is created here and stays an integer. The name is that of the contract's default currency.
 */
import assert from 'node:assert/strict'
import type { Brand } from './brand.ts'

export type Fen = Brand<number, 'Fen'>

export function fen(n: number): Fen {
  assert(Number.isSafeInteger(n), `not a whole number of minor units: ${n}`)
  return n as Fen
}

export const ZERO = fen(0)

export const add = (...amounts: readonly Fen[]): Fen => fen(amounts.reduce((total, n) => total + n, 0))

/** Throws past 2^53: callers bound quantities first, so an overflow is a bug, never a rounded price. */
export const times = (price: Fen, quantity: number): Fen => fen(price * quantity)

/** The unit price from a box price, rounded; the supplier's invoice is final. */
export const eachOf = (box: Fen, contains: number): Fen => fen(Math.round(box / contains))
