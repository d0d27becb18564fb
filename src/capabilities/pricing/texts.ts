/** What people read about a price change, bounded however many lines it has. */
import { REASONING_MAX, SUMMARY_MAX } from '../../contract/limits.ts'
import { yuan } from '../../kernel/fen.ts'
import { priceVerdict, describeEvidence } from '../guardrails/index.ts'
import type { Rules } from '../guardrails/index.ts'
import type { PriceLine } from './change.ts'

const LINES_TOLD = 5
const TITLE_LENGTH = 60

const short = (title: string) => (title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title)

const told = <T>(all: readonly T[], tell: (one: T) => string, between: string): string =>
  all.slice(0, LINES_TOLD).map(tell).join(between) +
  (all.length > LINES_TOLD ? `${between}and ${all.length - LINES_TOLD} more` : '')

export const describeLines = (lines: readonly PriceLine[]): string =>
  told(lines, ({ title, previousFen, priceFen }) => `${short(title)} ${yuan(previousFen)} → ${yuan(priceFen)}`, '; ')

export const describeOverCap = (rules: Pick<Rules, 'priceCapPerItem'>, over: readonly PriceLine[]): string =>
  told(
    over,
    ({ title, previousFen, priceFen }) =>
      `${short(title)}: ${describeEvidence(priceVerdict(rules, previousFen, priceFen).evidence)}`,
    ' ',
  )

export const asSummary = (text: string): string => text.slice(0, SUMMARY_MAX)
export const asReasoning = (text: string): string => text.slice(0, REASONING_MAX)
