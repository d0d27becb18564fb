/** The lines of a price change compared with the rules. Pure. */
import {
  type ApprovalNeed,
  type PriceRules,
  type Verdict,
  approvalNeedOf,
  priceVerdict,
} from '../../rules/guardrails/index.ts'
import type { PriceLine } from './price-line.ts'

/** What the rules say about a line. */
export const lineVerdict = (rules: PriceRules, line: PriceLine): Verdict =>
  priceVerdict(rules, { ...line, weekAgoFen: line.weekAgoFen ?? line.previousFen })

export const linesOverRules = (rules: PriceRules, lines: readonly PriceLine[]): readonly PriceLine[] =>
  lines.filter((line) => !lineVerdict(rules, line).allowed)

/** Why these lines need approval, with the product of each. */
export const needOf = (rules: PriceRules, over: readonly PriceLine[]): ApprovalNeed | undefined =>
  approvalNeedOf(
    over.flatMap((line) =>
      lineVerdict(rules, line).evidence.map((one) => ({
        ...one,
        text: `${line.title}: ${one.text}`,
        params: { product: line.title, ...one.params },
      })),
    ),
  )
