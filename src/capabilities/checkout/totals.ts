/** Sums of a session (2.6): exact, in whole fen. Suppliers deliver and hold goods ready without a fee of their own. */
import type { Total } from '../../contract/common.ts'
import { add, times, ZERO } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'

type Priced = { readonly priceFen: Fen; readonly quantity: number }

export const lineFen = ({ priceFen, quantity }: Priced): Fen => times(priceFen, quantity)

export const sumFen = (lines: readonly Priced[]): Fen => add(...lines.map(lineFen))

/** False where the sum would leave the integers that are exact: such an order is a mistake, never a rounded price. */
export const isExact = (lines: readonly Priced[]): boolean =>
  Number.isSafeInteger(lines.reduce((sum, { priceFen, quantity }) => sum + priceFen * quantity, 0))

export const lineTotals = (line: Priced): readonly Total[] => [
  { type: 'subtotal', amount: lineFen(line) },
  { type: 'total', amount: lineFen(line) },
]

export const sessionTotals = (totalFen: Fen): readonly Total[] => [
  { type: 'subtotal', amount: totalFen },
  { type: 'fulfillment', amount: ZERO },
  { type: 'total', amount: totalFen },
]
