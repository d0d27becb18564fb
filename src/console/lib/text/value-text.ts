/** Writes the values of a sentence of the service in the reader's language. */
import type { Message } from '../../../contract/common.ts'
import type { PersonRole } from '../../../kernel/person.ts'
import { CODES, VALUES } from '../../../texts/index.ts'
import { dateTime, decimal, money } from './format.ts'
import { isEnglish, textsOf, texts } from './i18n.ts'

export type Values = NonNullable<Message['params']>
type Value = Values[string]

/** Names come from the service and may be anything, `constructor` included. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined

export const codeTitle = (code: string): string | undefined => entryOf(textsOf(CODES), code)
export const personName = (by: string): string => entryOf(textsOf(VALUES), by) ?? by
/** The operator token is named like its role: said once. */
export const personAndRole = (name: string, role: PersonRole): string =>
  name === role ? personName(name) : `${personName(name)} (${texts().roles[role]})`

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/

/** A word of the service, such as a code or a status; one that is none of them is English. */
const wordText = (word: string): string | undefined =>
  entryOf(textsOf(VALUES), word) ??
  codeTitle(word) ??
  entryOf(texts().checkoutStatus, word) ??
  entryOf(texts().supplierStates, word) ??
  (isEnglish() ? word : undefined)

/** `+1234`: how far a count was off. */
const DIFFERENCE = /^[+-]\d{1,9}$/

const WORDS: ReadonlySet<string> = new Set(['reason', 'as', 'status'])

export function valueText(name: string, value: Value): string | undefined {
  if (typeof value === 'number') return decimal(value)
  // A choice, not a word of a sentence.
  if (typeof value === 'boolean') return undefined
  if (typeof value === 'object') return money(value.amount, value.currency)
  if (name === 'by') return personName(value)
  if (DIFFERENCE.test(value)) return `${value.startsWith('-') ? '−' : '+'}${decimal(Number(value.slice(1)))}`
  if (name === 'role') return entryOf(texts().roles, value) ?? value
  if (WORDS.has(name)) return wordText(value)
  if (name === 'machines') return isEnglish() ? value : value.replaceAll(', ', '、')
  return TIMESTAMP.test(value) ? dateTime(value) : value
}
