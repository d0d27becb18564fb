/**
 * The guardrails as pure verdicts over plain data. A verdict carries its evidence: which rule was held against which
 * number, so that whoever decides later sees what the service saw.
 */
import { rfc3339 } from '../../kernel/clock.ts'
import { yuan } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'

export interface Rules {
  readonly spendingLimitPerRun: Fen
  readonly priceCapPerItem: Fen
  readonly hardNoGos: readonly string[]
  /** As the file says; the stop can also have been pulled at run time. */
  readonly killSwitchEngaged: boolean
  /** Epoch ms; undefined when there is no probation. */
  readonly probationUntil: number | undefined
  readonly administrators: readonly string[]
  readonly administratorChats: readonly string[]
}

export type Evidence = {
  readonly rule: string
  /** An amount in fen, or a text. */
  readonly number: number | string
  readonly limit: number | string
  readonly broken: boolean
}

export interface Verdict {
  readonly allowed: boolean
  readonly evidence: readonly Evidence[]
}

const verdict = (evidence: readonly Evidence[]): Verdict => ({
  allowed: evidence.every(({ broken }) => !broken),
  evidence,
})

/** Strictly above the limit, or on probation whatever the sum: the owner decides (3.1). */
export function spendVerdict(rules: Rules, totalFen: Fen, now: number): Verdict {
  const limit = {
    rule: 'rules.spendingLimitPerRun',
    number: totalFen,
    limit: rules.spendingLimitPerRun,
    broken: totalFen > rules.spendingLimitPerRun,
  }
  if (rules.probationUntil === undefined) return verdict([limit])
  const probation = {
    rule: 'probationUntil',
    number: rfc3339(now),
    limit: rfc3339(rules.probationUntil),
    broken: onProbation(rules, now),
  }
  return verdict([limit, probation])
}

export const onProbation = (rules: Pick<Rules, 'probationUntil'>, now: number): boolean =>
  rules.probationUntil !== undefined && now < rules.probationUntil

/** The distance of the new price from the one on the machine, in either direction (4.6). */
export function priceVerdict(rules: Pick<Rules, 'priceCapPerItem'>, previousFen: Fen, nextFen: Fen): Verdict {
  const distance = Math.abs(nextFen - previousFen)
  const limit = rules.priceCapPerItem
  return verdict([{ rule: 'rules.priceCapPerItem', number: distance, limit, broken: distance > limit }])
}

const told = (value: number | string): string => (typeof value === 'number' ? yuan(value) : value)

/** Sentences for a decision's `reasoning`. */
export const describeEvidence = (evidence: readonly Evidence[]): string =>
  evidence
    .map(
      ({ rule, number, limit, broken }) =>
        `${rule}: ${told(number)} against ${told(limit)}, ${broken ? 'so the owner decides' : 'within the rule'}.`,
    )
    .join(' ')
