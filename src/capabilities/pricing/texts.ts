/** What people read about a price change, bounded however many lines it has. */
import { REASONING_MAX, SUMMARY_MAX } from '../../contract/limits.ts'
import { yuan } from '../../kernel/fen.ts'
import { priceVerdict, describeEvidence } from '../guardrails/index.ts'
import type { Rules } from '../guardrails/index.ts'
import type { PriceLine } from './change.ts'

const LINES_SHOWN = 5
const TITLE_LENGTH = 60

const shorten = (title: string) => (title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title)

const joinFirst = <T>(all: readonly T[], tell: (one: T) => string, between: string): string =>
  all.slice(0, LINES_SHOWN).map(tell).join(between) +
  (all.length > LINES_SHOWN ? `${between}and ${all.length - LINES_SHOWN} more` : '')

export const describeLines = (lines: readonly PriceLine[]): string =>
  joinFirst(
    lines,
    ({ title, previousFen, priceFen }) => `${shorten(title)} ${yuan(previousFen)} → ${yuan(priceFen)}`,
    '; ',
  )

export const describeOverCap = (rules: Pick<Rules, 'priceCapPerItem'>, over: readonly PriceLine[]): string =>
  joinFirst(
    over,
    ({ title, previousFen, priceFen }) =>
      `${shorten(title)}: ${describeEvidence(priceVerdict(rules, previousFen, priceFen).evidence)}`,
    ' ',
  )

export const asSummary = (text: string): string => text.slice(0, SUMMARY_MAX)
export const asReasoning = (text: string): string => text.slice(0, REASONING_MAX)
