/** What the owner is asked about a swap. */
import { formatAmount } from '../../../kernel/currency.ts'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import { count } from '../../../kernel/text.ts'
import type { NewDecision } from '../../approvals/index.ts'
import type { Swap } from '../planner/swaps.ts'

export function decisionOf(
  { location, slotId, out, in: better, weeklyGainFen, evidence }: Swap,
  titles: ReadonlyMap<string, string>,
  currency: CurrencyCode,
): NewDecision {
  const [before, after] = [titles.get(out.sku) ?? out.sku, titles.get(better.sku) ?? better.sku]
  const amount = (fen: number) => formatAmount(fen, currency)
  const where = evidence.venueType === undefined ? 'machines' : `machines of the kind ${evidence.venueType}`
  return {
    kind: 'swap',
    code: 'swap_proposed',
    params: { machine: location, product: before, other_product: after, gain: amount(weeklyGainFen) },
    summary: `${after} instead of ${before} in ${location}, about ${amount(weeklyGainFen)} more a week`,
    reasoning: `${before} earns about ${amount(out.weeklyFen)} a week. ${after} sold ${count(evidence.units, 'unit')} in ${Math.round(evidence.days)} days in stock in ${evidence.machines} other ${where}; here about ${amount(better.weeklyFen)} a week are expected.`,
    subject: { type: 'slot', id: slotId },
  }
}
