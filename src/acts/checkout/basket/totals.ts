/**
 * Totals of a session in whole fen: as the supplier quoted them, or the sum of the lines where it charges nothing
 * beyond the prices of its catalog.
 */
import type { Total } from '../../../contract/common.ts'
import { type Fen, add, times, ZERO } from '../../../kernel/fen.ts'
import type { SupplyTotals } from '../../../vendors/supply-vendor.ts'

type Priced = { readonly priceFen: Fen; readonly quantity: number }

export const lineTotal = ({ priceFen, quantity }: Priced): Fen => times(priceFen, quantity)

export const linesTotal = (lines: readonly Priced[]): Fen => add(...lines.map(lineTotal))

/** False when the total is too large to be exact. */
export const isTotalExact = (lines: readonly Priced[]): boolean =>
  Number.isSafeInteger(lines.reduce((total, { priceFen, quantity }) => total + priceFen * quantity, 0))

export const lineTotals = (line: Priced): readonly Total[] => [
  { type: 'subtotal', amount: lineTotal(line) },
  { type: 'total', amount: lineTotal(line) },
]

/** The totals of lines that cost what the catalog says and nothing more. */
export const plainTotals = (total: Fen): SupplyTotals => ({
  subtotal: total,
  fulfillment: ZERO,
  tax: ZERO,
  fee: ZERO,
  total,
})

/** True for whole amounts that add up to their total. */
export const isTotalConsistent = ({ subtotal, fulfillment, tax, fee, total }: SupplyTotals): boolean =>
  [subtotal, fulfillment, tax, fee, total].every((amount) => Number.isSafeInteger(amount) && amount >= 0) &&
  subtotal + fulfillment + tax + fee === total

/** Tax and fees only where there are any. */
export const totalsView = ({ subtotal, fulfillment, tax, fee, total }: SupplyTotals): readonly Total[] => [
  { type: 'subtotal', amount: subtotal },
  { type: 'fulfillment', amount: fulfillment },
  ...(tax > 0 ? [{ type: 'tax', amount: tax }] : []),
  ...(fee > 0 ? [{ type: 'fee', amount: fee }] : []),
  { type: 'total', amount: total },
]
