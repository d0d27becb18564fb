/** An approval in Chinese, from its codes and values: what is asked, and each rule that asks. */
import { type SentenceValues, fillFirst } from '../../texts/fill-sentence.ts'
import { RULES, SUBJECTS } from '../../texts/index.ts'
import { plainValue, questionText } from '../../texts/questions.ts'
import type { AskedApproval } from './notices.ts'

const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Undefined where no sentence fits: then the service's own English is all there is. */
export function approvalTextZh({ subject, params = {}, rules }: AskedApproval): {
  readonly summary: string | undefined
  readonly reason: string | undefined
} {
  const question = questionText(params, 'zh')
  if (question) return { summary: question.summary, reason: question.reasoning }
  const { lines } = params
  const values: SentenceValues = {
    ...params,
    id: subject.id,
    ...(typeof lines === 'number' ? { more: lines - 1 } : {}),
  }
  const reasons = rules.flatMap(
    (rule) => fillFirst(entryOf<readonly string[]>(RULES.zh, rule.code), rule.params, plainValue) ?? [],
  )
  return {
    summary: fillFirst(entryOf<readonly string[]>(SUBJECTS.zh, subject.type), values, plainValue),
    reason: reasons.length === 0 ? undefined : [...new Set(reasons)].join('\n'),
  }
}
