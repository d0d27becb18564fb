/** Sentences about runs, for decisions and events. */
import { REASONING_MAX } from '../../../contract/limits.ts'
import { yuan } from '../../../kernel/fen.ts'
import type { NewDecision } from '../../approvals/index.ts'
import { describeEvidence } from '../../guardrails/index.ts'
import type { Verdict } from '../../guardrails/index.ts'
import { activeLines, totalFen } from './run.ts'
import type { Run, RunLine } from './run.ts'

const counted = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? '' : 's'}`

/** `12 slots in 3 machines for about ¥123.00` */
export function describeSize(all: readonly RunLine[]): string {
  const lines = activeLines(all)
  const machines = new Set(lines.map(({ location }) => location)).size
  const about = lines.some(({ costEstimated }) => costEstimated) ? 'about ' : ''
  return `${counted(lines.length, 'slot')} in ${counted(machines, 'machine')} for ${about}${yuan(totalFen(lines))}`
}

const SLOTS_NAMED = 5

/** `M1001-G-1, M1001-G-2 and 3 more slots` */
export function tellSlots(slots: readonly string[]): string {
  const more = slots.length - SLOTS_NAMED
  return more > 0 ? `${slots.slice(0, SLOTS_NAMED).join(', ')} and ${counted(more, 'more slot')}` : slots.join(', ')
}

const tellLines = (lines: readonly RunLine[]): string =>
  activeLines(lines)
    .map(({ slotId, quantity, title }) => `${slotId}: ${quantity} × ${title}`)
    .join('; ')

/** What the owner is asked, or what the rules decided by themselves. */
export const decisionAbout = ({ id, lines }: Pick<Run, 'id' | 'lines'>, { evidence }: Verdict): NewDecision => ({
  kind: 'restock_plan',
  summary: `Restock ${describeSize(lines)} (${id})`,
  reasoning: `${describeEvidence(evidence)} ${tellLines(lines)}`.slice(0, REASONING_MAX),
  subject: { type: 'replenishment_run', id },
})

export const asReasoning = (text: string): string => text.slice(0, REASONING_MAX)
