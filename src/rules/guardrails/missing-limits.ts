/**
 * Limits over time that the rules lack. The limit per purchase and the cap per price change bound one step only: 416 purchases
 * below the limit went through in a minute.
 */
import type { MissingLimit } from '../../contract/shapes/guardrails.ts'
import type { ParsedRules } from './rules.ts'

export function findMissingLimits({
  spendingLimitPerDay,
  spendingLimitPerWeek,
  priceDriftPerWeek,
}: Pick<ParsedRules, MissingLimit>): readonly MissingLimit[] {
  return [
    ...(spendingLimitPerDay === undefined && spendingLimitPerWeek === undefined
      ? (['spendingLimitPerDay', 'spendingLimitPerWeek'] as const)
      : []),
    ...(priceDriftPerWeek === undefined ? (['priceDriftPerWeek'] as const) : []),
  ]
}

/** For the log and `vendops doctor`; undefined when nothing is missing. */
export function missingLimitsText(missing: readonly MissingLimit[]): string | undefined {
  const sentences = [
    ...(missing.includes('spendingLimitPerDay') ? ['purchases below the limit of one add up without a limit'] : []),
    ...(missing.includes('priceDriftPerWeek') ? ['price changes below the cap of one add up without a limit'] : []),
  ]
  return sentences.length === 0 ? undefined : `${missing.join(', ')} not set: ${sentences.join(', and ')}`
}
