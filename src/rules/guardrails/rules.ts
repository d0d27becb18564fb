/**
 * The guardrails as pure verdicts over plain data. A verdict carries its evidence: each rule with the values that were
 * compared, so that the owner later sees what the service saw.
 */
import type { ApprovalCode } from '../../contract/event-codes.ts'
import type { Autonomy } from '../../contract/shapes/guardrails.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { NoGos } from './no-gos.ts'

/** Limits for one supplier, or for one person or agent. An absent one does not limit. */
export interface SpendingLimits {
  readonly perRun?: Fen
  readonly perDay?: Fen
  readonly perWeek?: Fen
}

/** Rules that a file may leave out; then they do not apply. */
export interface OptionalRules {
  readonly spendingLimitPerDay?: Fen
  readonly spendingLimitPerWeek?: Fen
  /** By namespace. */
  readonly spendingLimitBySupplier?: Readonly<Record<string, SpendingLimits>>
  /** By name of a person or agent. */
  readonly spendingLimitByKey?: Readonly<Record<string, SpendingLimits>>
  /** The largest distance of a price from what it was 7 days ago, in either direction. */
  readonly priceDriftPerWeek?: Fen
  /** Of the cost: a price below cost × (1 + percent / 100) needs approval. */
  readonly minimumMarginPercent?: number
  /** Of one unit as ordered, a single item or a box. */
  readonly maxUnitPrice?: Fen
  readonly maxQuantityPerLine?: number
}

/** Nothing is done without an owner who allows it. */
export const AUTONOMY_OFF: Autonomy = { restock: 'off', prices: 'off', swaps: 'off' }

/** Lanes of a machine that may change in one visit, unless the rules say otherwise. */
export const LAYOUT_CHANGES = 3

/** The rules, from the file and from owners. */
export interface ParsedRules extends OptionalRules {
  readonly spendingLimitPerRun: Fen
  readonly priceCapPerItem: Fen
  readonly hardNoGos: readonly string[]
  /** As the file says; the kill switch can also have been engaged at run time. */
  readonly killSwitchEngaged: boolean
  /** Epoch ms; undefined when there is no probation. */
  readonly probationUntil: number | undefined
  /** Whether an owner may approve what the same owner asked for; undefined: only while there is one owner. */
  readonly ownersMayApproveTheirOwn?: boolean
  /** What the built-in operator, or a model in its place, may do by itself. */
  readonly autonomy: Autonomy
  /** Whether products that no machine holds may be tried. */
  readonly newProducts: boolean
  readonly layoutChangesPerVisit: number
  readonly administrators: readonly string[]
  readonly administratorChats: readonly string[]
}

/** The members of `rules` in the file. Lists of them are `Record<RuleName, …>`, so that a new rule is not forgotten. */
export type RuleName = Exclude<keyof ParsedRules, 'probationUntil' | 'administrators' | 'administratorChats'>

export interface Rules extends ParsedRules {
  /** Of what owners have set: another one means that a verdict may be out of date. */
  readonly revision: number
  /** Of the deployment: the amounts of the file are in its minor units. */
  readonly currency: CurrencyCode
  /** Of the deployment, for times in texts. */
  readonly timeZone: string
  /** `hardNoGos`, ready to be compared with products. */
  readonly noGos: NoGos
}

export interface Evidence {
  /** The member of the rules file; `ask`: whoever asks wants the owner's word, although the rules would allow it. */
  readonly rule: RuleName | 'probationUntil' | 'ask'
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

export const toVerdict = (evidence: readonly Evidence[]): Verdict => ({
  allowed: evidence.every(({ needsApproval }) => !needsApproval),
  evidence,
})

/** `ask: true`: always the owner's word. */
export const askedEvidence = (by: string): Evidence => ({
  rule: 'ask',
  code: 'asked',
  params: { by },
  text: `${by} asks before doing it`,
  needsApproval: true,
})

export const isOnProbation = ({ probationUntil }: Pick<Rules, 'probationUntil'>, now: number): boolean =>
  probationUntil !== undefined && now < probationUntil

/** Sentences for a decision's `reasoning`. */
export const describeEvidence = (evidence: readonly Evidence[]): string =>
  evidence.map(({ text, needsApproval }) => `${text}${needsApproval ? ', so it needs approval' : ''}.`).join(' ')

export interface ApprovalReason extends Partial<Pick<Evidence, 'code' | 'params'>> {
  readonly evidence?: readonly Omit<Evidence, 'needsApproval'>[]
}

/** The rules that ask for the approval, for the decision, with the code and values of the first. */
export function approvalReason({ evidence }: Verdict): ApprovalReason {
  const asking = evidence
    .filter(({ needsApproval }) => needsApproval)
    .map(({ rule, code, params, text }) => ({ rule, code, params, text }))
  const [first] = asking
  return first ? { code: first.code, params: first.params, evidence: asking } : {}
}
