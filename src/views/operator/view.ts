/** Shifts on the wire, in plain words. */
import { formatAmount } from '../../kernel/currency.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { groupThousands } from '../../kernel/text.ts'
import type { ShiftEntry, ShiftStep, TranscriptEntry } from '../../contract/shapes/operator/operator.ts'
import { type ValueText, fillFirst } from '../../texts/fill-sentence.ts'
import type { Sentences } from '../../texts/sentences.ts'
import { SHIFT_BECAUSE, SHIFT_DID, SHIFT_SAW, SHIFT_SUMMARY } from '../../texts/shift/index.ts'
import { type Entry, hashOf } from './model/records.ts'
import type { Figures, Shift, Step } from './shift.ts'

export type Language = 'en' | 'zh'

const textOf: ValueText = (_name, value) => {
  if (typeof value === 'number') return groupThousands(String(value))
  return typeof value === 'object' ? formatAmount(value.amount, value.currency) : String(value)
}

const sentence = (table: Sentences, { code, params }: Pick<Step, 'code' | 'params'>): string =>
  fillFirst(Object.hasOwn(table, code) ? table[code] : undefined, params, textOf) ?? ''

export const stepText = (step: Pick<Step, 'code' | 'params'>, language: Language) => ({
  saw: sentence(SHIFT_SAW[language], step),
  did: sentence(SHIFT_DID[language], step),
  because: sentence(SHIFT_BECAUSE[language], step),
})

/** What came of it, in one line. */
export function summaryText(
  { status, isDryRun, figures }: Pick<Shift, 'status' | 'isDryRun' | 'figures'>,
  language: Language,
): string {
  const table: Sentences = SHIFT_SUMMARY[language]
  const say = (name: keyof (typeof SHIFT_SUMMARY)['en'], values: Readonly<Record<string, string | number>> = {}) =>
    fillFirst(table[name], values, textOf) ?? ''
  if (!figures) return say('running')
  const { ordered, bought, spent, asked, waiting, refused, currency } = figures
  const parts = [
    ...(status === 'stopped' || status === 'failed' ? [say(status)] : []),
    ...(isDryRun ? [say('would')] : []),
    ...(ordered > 0 ? [say('ordered', { ordered })] : []),
    ...(bought > 0 ? [say('bought', { bought, spent: formatAmount(spent, currency) })] : []),
    ...(asked > 0 ? [say('asked', { asked })] : []),
    ...(waiting > 0 ? [say('waiting', { waiting })] : []),
    ...(refused > 0 ? [say('refused', { refused })] : []),
  ]
  const text = (parts.length === 0 ? [say('nothing')] : parts).join(language === 'zh' ? '；' : '; ')
  return language === 'zh' ? `${text}。` : `${text}.`
}

const figuresView = ({ ordered, bought, spent, asked, waiting, refused, currency }: Figures) => ({
  ordered,
  bought,
  spent,
  asked,
  waiting,
  refused,
  currency,
})

export const shiftView = (shift: Shift, timeZone: string): ShiftEntry => ({
  id: shift.id,
  started_at: rfc3339(shift.startedAt, timeZone),
  ended_at: shift.endedAt === undefined ? null : rfc3339(shift.endedAt, timeZone),
  status: shift.status,
  trigger: shift.trigger,
  dry_run: shift.isDryRun,
  summary: summaryText(shift, 'en'),
  ...(shift.figures === undefined ? {} : { figures: figuresView(shift.figures) }),
  ...(shift.by === undefined ? {} : { by: shift.by }),
})

export const stepView = (step: Step, timeZone: string): ShiftStep => ({
  at: rfc3339(step.at, timeZone),
  step: step.step,
  ...stepText(step, 'en'),
  code: step.code,
  params: step.params,
  reference: step.reference ?? null,
  outcome: step.outcome,
})

export const entryView = ({ at, kind, call, content }: Entry, timeZone: string): TranscriptEntry => ({
  at: rfc3339(at, timeZone),
  kind,
  call: call ?? null,
  content,
  hash: hashOf(content),
})
