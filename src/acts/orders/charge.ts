/** What a supplier asks for a purchase in the end, against what was agreed. Pure. */
import type { Fen } from '../../kernel/fen.ts'
import type { SupplyOrderStatus } from '../../vendors/supply-vendor.ts'
import type { Purchase } from './purchase-record.ts'

/** How much was agreed: more than that is reported, and counts as spent. */
export const agreedFenOf = ({ totalFen, agreedFen = totalFen }: Pick<Purchase, 'totalFen' | 'agreedFen'>): Fen =>
  agreedFen

/**
 * What the supplier asks by its latest report. Only more than agreed changes the order, and a correction of that: a lower
 * total is mostly that of what will come, which the adjustments say.
 */
export function chargedBy(
  known: Pick<Purchase, 'lines' | 'totalFen' | 'agreedFen'>,
  { totalFen }: Pick<SupplyOrderStatus, 'totalFen'>,
): Pick<Purchase, 'totalFen' | 'agreedFen'> {
  // Booked from the supplier's records: nothing was agreed that its total could be compared with.
  if (known.lines.length === 0) return known
  const agreedFen = agreedFenOf(known)
  if (totalFen === undefined || (totalFen <= agreedFen && known.totalFen <= agreedFen)) return known
  return totalFen > agreedFen ? { totalFen, agreedFen } : { totalFen: agreedFen, agreedFen }
}
