/** The approval that a purchase over the rules needs: what is bought, for how much, and where it goes. Pure. */
import { REASONING_MAX } from '../../../contract/limits.ts'
import { type CurrencyCode, formatAmount, money } from '../../../kernel/currency.ts'
import { count } from '../../../kernel/text.ts'
import type { NewDecision } from '../../../rules/approvals/index.ts'
import { type Verdict, approvalReason, describeEvidence } from '../../../rules/guardrails/index.ts'
import { destinationText } from './basket.ts'
import type { Line, Session } from '../session.ts'

const describeLine = ({ quantity, unit, title }: Line): string =>
  unit === 'BX' ? `${count(quantity, 'box', 'boxes')} of ${title}` : `${quantity} × ${title}`

const describeFulfillment = ({ methods: [method] }: Pick<Session, 'methods'>, destination: string): string =>
  method?.type === 'pickup' ? `Picked up at ${destination}.` : `Delivered to ${destination}.`

export function newApproval(
  { id, vendor, lines, totalFen, methods }: Pick<Session, 'id' | 'vendor' | 'lines' | 'totalFen' | 'methods'>,
  verdict: Verdict,
  currency: CurrencyCode,
): NewDecision {
  const { params, ...reason } = approvalReason(verdict)
  const destination = destinationText({ methods })
  const delivery = destination === undefined ? '' : `${describeFulfillment({ methods }, destination)} `
  return {
    kind: 'restock_plan',
    summary: `Buy from ${vendor} for ${formatAmount(totalFen, currency)}: ${id}, ${count(lines.length, 'line')}`,
    reasoning: `${describeEvidence(verdict.evidence)} ${delivery}${lines.map(describeLine).join('; ')}`.slice(
      0,
      REASONING_MAX,
    ),
    ...reason,
    params: {
      ...params,
      vendor,
      total: money(totalFen, currency),
      lines: lines.length,
      ...(destination === undefined ? {} : { destination }),
    },
    subject: { type: 'checkout', id },
  }
}
