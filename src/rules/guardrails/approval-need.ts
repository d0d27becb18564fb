/** Why the owner has to decide, for the message `approval_required`: which rule, what it was compared with, and its limit. Pure. */
import { type ErrorMessage, type TextParams, error } from '../../kernel/message.ts'
import type { Evidence } from './rules.ts'

export interface ApprovalNeed {
  readonly text: string
  readonly params: TextParams
}

const REASONS_SHOWN = 3

/** The values of each kind of evidence, by the names that they have in all messages. */
function amountAndLimit({ total, change, drift, price, quantity, limit, cap, percent }: TextParams): TextParams {
  const amount = total ?? change ?? drift ?? price ?? quantity
  const allowed = limit ?? cap ?? (typeof percent === 'number' ? `${percent}%` : undefined)
  return { ...(amount === undefined ? {} : { amount }), ...(allowed === undefined ? {} : { limit: allowed }) }
}

/** With the values of the first rule that asks, and the words of the first few. Undefined: none asks. */
export function approvalNeedOf(evidence: readonly Evidence[]): ApprovalNeed | undefined {
  const asking = evidence.filter(({ needsApproval }) => needsApproval)
  const [first] = asking
  if (!first) return undefined
  const shown = asking.slice(0, REASONS_SHOWN).map(({ text }) => text)
  const more = asking.length - shown.length
  return {
    text: [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; '),
    params: { rule: first.rule, ...first.params, ...amountAndLimit(first.params) },
  }
}

/** @param need undefined for what was stored before it was kept */
export const approvalRequiredError = (content: string, need: ApprovalNeed | undefined, path?: string): ErrorMessage =>
  error('approval_required', need ? `${content}: ${need.text}` : content, path, need?.params)
