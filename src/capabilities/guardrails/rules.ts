/**
 * The guardrails as pure verdicts over plain data. A verdict carries its evidence: each rule with the values that were
 * compared, so that the owner later sees what the service saw.
 */
import type { ApprovalCode } from '../../contract/event-codes.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { formatAmount, money } from '../../kernel/currency.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { NoGos } from './no-gos.ts'

/** The rules file. */
export interface ParsedRules {
  readonly spendingLimitPerRun: Fen
  readonly priceCapPerItem: Fen
  readonly hardNoGos: readonly string[]
  /** As the file says; the kill switch can also have been engaged at run time. */
  readonly killSwitchEngaged: boolean
  /** Epoch ms; undefined when there is no probation. */
  readonly probationUntil: number | undefined
  /** Whether an owner may approve what the same owner asked for; undefined: only while there is one owner. */
  readonly ownersMayApproveTheirOwn: boolean | undefined
  readonly administrators: readonly string[]
  readonly administratorChats: readonly string[]
}

export interface Rules extends ParsedRules {
  /** Of the deployment: the amounts of the file are in its minor units. */
  readonly currency: CurrencyCode
  /** `hardNoGos`, ready to be compared with products. */
  readonly noGos: NoGos
}

export interface Evidence {
  readonly code: ApprovalCode
  readonly params: TextParams
  /** The comparison as a clause without a full stop. */
  readonly text: string
  readonly needsApproval: boolean
}

export interface Verdict {
  readonly allowed: boolean
  readonly evidence: readonly Evidence[]
}

const toVerdict = (evidence: readonly Evidence[]): Verdict => ({
  allowed: evidence.every(({ needsApproval }) => !needsApproval),
  evidence,
})

/** A total strictly above the limit, or any total during probation, needs the owner's approval (3.1). */
export function spendVerdict(rules: Rules, totalFen: Fen, now: number): Verdict {
  const { spendingLimitPerRun: limitFen, currency, probationUntil } = rules
  const isOverLimit = totalFen > limitFen
  const limit: Evidence = {
    code: 'spending_limit',
    params: { total: money(totalFen, currency), limit: money(limitFen, currency) },
    text: `${formatAmount(totalFen, currency)} ${isOverLimit ? 'exceeds' : 'is within'} the ${formatAmount(limitFen, currency)} limit per purchase`,
    needsApproval: isOverLimit,
  }
  if (probationUntil === undefined) return toVerdict([limit])
  const isActive = isOnProbation(rules, now)
  const until = rfc3339(probationUntil)
  const probation: Evidence = {
    code: 'probation',
    params: { until },
    text: isActive ? `The probation period lasts until ${until}` : `The probation period ended at ${until}`,
    needsApproval: isActive,
  }
  return toVerdict([limit, probation])
}

export const isOnProbation = ({ probationUntil }: Pick<Rules, 'probationUntil'>, now: number): boolean =>
  probationUntil !== undefined && now < probationUntil

/** In either direction (4.6). */
export const exceedsCap = (
  { priceCapPerItem }: Pick<Rules, 'priceCapPerItem'>,
  previousFen: Fen,
  nextFen: Fen,
): boolean => Math.abs(nextFen - previousFen) > priceCapPerItem

/** What a price change is compared with. */
export type PriceRules = Pick<Rules, 'priceCapPerItem' | 'currency'>

/** Compares the change with the cap, in either direction (4.6). */
export function priceVerdict(rules: PriceRules, previousFen: Fen, nextFen: Fen): Verdict {
  const changeFen = Math.abs(nextFen - previousFen)
  const { priceCapPerItem: capFen, currency } = rules
  const isOverCap = exceedsCap(rules, previousFen, nextFen)
  return toVerdict([
    {
      code: 'price_cap',
      params: { change: money(changeFen, currency), cap: money(capFen, currency) },
      text: `A change of ${formatAmount(changeFen, currency)} ${isOverCap ? 'exceeds' : 'is within'} the ${formatAmount(capFen, currency)} cap per item`,
      needsApproval: isOverCap,
    },
  ])
}

/** Sentences for a decision's `reasoning`. */
export const describeEvidence = (evidence: readonly Evidence[]): string =>
  evidence.map(({ text, needsApproval }) => `${text}${needsApproval ? ', so it needs approval' : ''}.`).join(' ')

/** Code and values of the first rule that asks for the approval, for the decision. */
export function approvalReason({ evidence }: Verdict): Partial<Pick<Evidence, 'code' | 'params'>> {
  const rule = evidence.find(({ needsApproval }) => needsApproval)
  return rule ? { code: rule.code, params: rule.params } : {}
}
