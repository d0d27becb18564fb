/** Totals of a session (2.6) in whole fen. Suppliers charge no fee for delivery or pickup. */
import type { Total } from '../../contract/common.ts'
import { add, times, ZERO } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'

type Priced = { readonly priceFen: Fen; readonly quantity: number }

const lineTotal = ({ priceFen, quantity }: Priced): Fen => times(priceFen, quantity)

export const linesTotal = (lines: readonly Priced[]): Fen => add(...lines.map(lineTotal))

/** False when the total is too large to be exact. */
export const isTotalExact = (lines: readonly Priced[]): boolean =>
  Number.isSafeInteger(lines.reduce((total, { priceFen, quantity }) => total + priceFen * quantity, 0))

export const lineTotals = (line: Priced): readonly Total[] => [
  { type: 'subtotal', amount: lineTotal(line) },
  { type: 'total', amount: lineTotal(line) },
]

export const sessionTotals = (totalFen: Fen): readonly Total[] => [
  { type: 'subtotal', amount: totalFen },
  { type: 'fulfillment', amount: ZERO },
  { type: 'total', amount: totalFen },
]
