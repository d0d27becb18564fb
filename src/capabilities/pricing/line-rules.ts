/** The lines of a price change compared with the rules. Pure. */
import { type PriceRules, type Verdict, priceVerdict } from '../guardrails/index.ts'
import type { PriceLine } from './change.ts'

/** What the rules say about a line. */
export const lineVerdict = (rules: PriceRules, line: PriceLine): Verdict =>
  priceVerdict(rules, { ...line, weekAgoFen: line.weekAgoFen ?? line.previousFen })

export const linesOverRules = (rules: PriceRules, lines: readonly PriceLine[]): readonly PriceLine[] =>
  lines.filter((line) => !lineVerdict(rules, line).allowed)
