/** The questions that the service asks by itself, written from their code and values. */
import { formatAmount } from '../kernel/currency.ts'
import { groupThousands } from '../kernel/text.ts'
import { type SentenceValues, type ValueText, fillFirst } from './fill-sentence.ts'
import { QUESTION_OPTIONS, QUESTION_REASONS, QUESTIONS } from './index.ts'
import type { Sentences } from './sentences.ts'

export type QuestionCode = keyof (typeof QUESTIONS)['en']

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/

export const plainValue: ValueText = (_name, value) => {
  if (typeof value === 'number') return groupThousands(String(value))
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'object') return formatAmount(value.amount, value.currency)
  return value.replace(TIMESTAMP, '$1 $2').slice(0, TIMESTAMP.test(value) ? 16 : undefined)
}

const entryOf = (table: Sentences, code: string): readonly string[] | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined

/** The member of the values that names the question, beside what its sentences need. */
const questionCode = (values: SentenceValues | undefined): string | undefined =>
  typeof values?.['question'] === 'string' ? values['question'] : undefined

/** Undefined: no such question, or a value is missing. */
export function questionText(
  values: SentenceValues | undefined,
  language: 'en' | 'zh',
  textOf: ValueText = plainValue,
): { readonly summary: string; readonly reasoning: string; readonly options: readonly string[] } | undefined {
  const code = questionCode(values)
  if (code === undefined || values === undefined) return undefined
  const summary = fillFirst(entryOf(QUESTIONS[language], code), values, textOf)
  const reasoning = fillFirst(entryOf(QUESTION_REASONS[language], code), values, textOf)
  if (summary === undefined || reasoning === undefined) return undefined
  return { summary, reasoning, options: entryOf(QUESTION_OPTIONS[language], code) ?? [] }
}

/** An option of it in another language; one that it does not have stays as it is. */
export function optionText(values: SentenceValues | undefined, option: string, language: 'en' | 'zh'): string {
  const code = questionCode(values) ?? ''
  const index = (entryOf(QUESTION_OPTIONS.en, code) ?? []).indexOf(option)
  return entryOf(QUESTION_OPTIONS[language], code)?.[index] ?? option
}
