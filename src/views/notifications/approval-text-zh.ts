/** An approval in Chinese, from its codes and values: what is asked, and each rule that asks. */
import { formatAmount } from '../../kernel/currency.ts'
import { type SentenceValues, type ValueText, fillFirst } from '../../texts/fill-sentence.ts'
import { RULES, SUBJECTS } from '../../texts/index.ts'
import type { AskedApproval } from './notices.ts'

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/

const textOf: ValueText = (_name, value) => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'object') return formatAmount(value.amount, value.currency)
  return value.replace(TIMESTAMP, '$1 $2').slice(0, TIMESTAMP.test(value) ? 16 : undefined)
}

const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Undefined where no sentence fits: then the service's own English is all there is. */
export function approvalTextZh({ subject, params = {}, rules }: AskedApproval): {
  readonly summary: string | undefined
  readonly reason: string | undefined
} {
  const { lines } = params
  const values: SentenceValues = {
    ...params,
    id: subject.id,
    ...(typeof lines === 'number' ? { more: lines - 1 } : {}),
  }
  const reasons = rules.flatMap(
    (rule) => fillFirst(entryOf<readonly string[]>(RULES.zh, rule.code), rule.params, textOf) ?? [],
  )
  return {
    summary: fillFirst(entryOf<readonly string[]>(SUBJECTS.zh, subject.type), values, textOf),
    reason: reasons.length === 0 ? undefined : [...new Set(reasons)].join('\n'),
  }
}
