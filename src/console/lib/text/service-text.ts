/** Writes the messages, events and approvals of the service in the reader's language, from their code and values. */
import type { Approval } from '../../../contract/shapes/approval.ts'
import type { Message, RuleEvidence } from '../../../contract/common.ts'
import type { Event } from '../../../contract/shapes/event.ts'
import { fillFirst } from '../../../texts/fill-sentence.ts'
import { EVENTS, FIELDS, MESSAGES, RULES, SUBJECTS } from '../../../texts/index.ts'
import { optionText, questionText } from '../../../texts/questions.ts'
import { timestampOf, weekday } from './format.ts'
import { type Language, isEnglish, language, texts, textsOf } from './i18n.ts'
import { type Values, codeTitle, entryOf, valueText } from './value-text.ts'

/** The sentence of a code in the reader's language. */
const write = (
  table: Readonly<Record<Language, Readonly<Record<string, readonly string[]>>>>,
  code: string | undefined,
  values: Values,
): string | undefined => fillFirst(entryOf(textsOf(table), code), values, valueText)

type NameOf = (location: string) => string
const keepId: NameOf = (id) => id

/** Adds what sentences use beside the values as sent: the name of the machine, and how many lines follow the first. */
function withDerived(values: Values | undefined, location: string | undefined, nameOf: NameOf): Values {
  const id = values?.['machine'] ?? location
  // A sale states the name of its machine instead of its id.
  const isId = typeof id === 'string' && (location === undefined || id === location)
  const machine = values?.['machine_name'] ?? values?.['name'] ?? (isId ? nameOf(id) : id)
  const lines = values?.['lines']
  return {
    ...values,
    ...(machine === undefined ? {} : { machine }),
    ...(typeof lines === 'number' ? { more: lines - 1 } : {}),
  }
}

/** The last name in a path: `phone_number` of `$.fulfillment.methods[0].destinations[0].phone_number`. */
const fieldOf = (path: string | undefined): string | undefined =>
  path
    ?.replaceAll(/\[\d+\]/g, '')
    .split('.')
    .at(-1)

type Said = Pick<Message, 'code' | 'content'> & Partial<Pick<Message, 'path' | 'params'>>

function messageSentence({ code, path, params }: Said): string | undefined {
  const field = entryOf(textsOf(FIELDS), fieldOf(path))
  const reason = code === 'kill_switch_engaged' ? params?.['reason'] : undefined
  return write(MESSAGES, code, {
    ...(field === undefined ? {} : { field }),
    ...(reason === undefined ? {} : { note: reason }),
    ...withDerived(params, undefined, keepId),
  })
}

export interface ServiceText {
  readonly title?: string | undefined
  /** In the reader's language, or the service's own English if there is no sentence for it. */
  readonly text?: string | undefined
  /** The service's own English, if `text` is a translation or absent. */
  readonly detail?: string | undefined
}

/** The credentials of a connection have the same code as those of the caller. */
function titleOf({ code, params }: Said): string | undefined {
  if (code === 'unauthorized' && params?.['whose'] === 'supplier') return codeTitle('connection_unauthorized')
  // Of an order that a person sends there is no page of the supplier.
  if (code === 'handoff' && params?.['document'] !== undefined) return codeTitle('order_to_send')
  return codeTitle(code)
}

export function messageText(message: Said): ServiceText {
  const title = titleOf(message)
  const text = messageSentence(message)
  if (text === undefined && (isEnglish() || title === undefined)) return { title, text: message.content }
  return { title, text, detail: message.content === text ? undefined : message.content }
}

/** One line, for a field or a table row. */
export const messageLine = (message: Said): string =>
  messageSentence(message) ?? (isEnglish() ? message.content : (titleOf(message) ?? message.content))

/** What was decided on, where the event names it. */
function subjectText(values: Values): string | undefined {
  const { subject, subject_id: id } = values
  if (typeof subject !== 'string' || id === undefined) return undefined
  return write(SUBJECTS, subject, { ...values, id })
}

/** A question of the service itself, and an answer that it offered, in the reader's language. */
function ownQuestion(values: Values): Values {
  const question = questionText(values, language.value, valueText)
  if (!question) return {}
  const { answer } = values
  return {
    summary: question.summary,
    ...(typeof answer === 'string' ? { answer: optionText(values, answer, language.value) } : {}),
  }
}

/** An option of a question, in the reader's language where it is one of the service itself. */
export const optionLabel = ({ params }: Pick<Approval, 'params'>, option: string): string =>
  optionText(params, option, language.value)

export function eventText(event: Event, nameOf: NameOf): ServiceText {
  const { code, kind, params, location, summary, reasoning } = event
  // The reason of an emergency stop was typed by a person, so it is shown in every language.
  const isTyped = kind === 'guardrail' && reasoning !== ''
  const derived = withDerived(params, location, nameOf)
  const what = subjectText(derived)
  const asked = ownQuestion(derived)
  const values = {
    ...(isTyped ? { note: reasoning } : {}),
    ...derived,
    ...(what === undefined ? {} : { what }),
    ...asked,
  }
  const sentence = event.source === 'service' ? write(EVENTS, code, values) : undefined
  if (sentence === undefined) return { text: summary, detail: reasoning || undefined }
  return { text: sentence, detail: isTyped ? undefined : reasoning || undefined }
}

interface Rule {
  readonly code?: string | undefined
  readonly params?: RuleEvidence['params'] | undefined
}

/** A rule with the values that were compared, in the reader's language. */
export const ruleSentence = ({ code, params }: Rule): string | undefined =>
  write(RULES, code, withDerived(params as Values | undefined, undefined, keepId))

/** What is to be approved, and which rules require it. */
/** A run is called by the day on which it was made, which its id tells. */
function runDay(id: string): string | undefined {
  const made = /^run-(\d{13})$/.exec(id)?.[1]
  return made && weekday(timestampOf(Number(made)))
}

export function approvalText({ kind, subject, code, params, summary, evidence }: Approval) {
  const values = withDerived(params, undefined, keepId)
  const question = kind === 'note' ? questionText(params, language.value, valueText) : undefined
  if (question)
    return {
      summary: question.summary,
      reasons: [question.reasoning, ...(code === 'expired' ? [ruleSentence({ code }) ?? code] : [])],
    }
  // Older approvals know the first rule only.
  const rules = evidence ?? [{ code, params: values }]
  return {
    summary:
      kind === 'note'
        ? summary
        : (write(SUBJECTS, subject.type, { ...values, id: runDay(subject.id) ?? subject.id }) ?? summary),
    /** One sentence for each rule that has one in the reader's language. */
    reasons: [...new Set(rules.flatMap((rule) => ruleSentence(rule) ?? []))],
  }
}

/** A run and a purchase share the kind `restock_plan`. */
export const approvalKind = ({ kind, subject }: Approval): string =>
  texts().kinds[kind !== 'note' && subject.type === 'replenishment_run' ? subject.type : kind]

/** The rules that ask for approval, each in one sentence. */
export const approvalReasons = (evidence: readonly RuleEvidence[]): readonly string[] => [
  ...new Set(
    evidence.filter(({ needs_approval: needs }) => needs).map((rule) => ruleSentence(rule) ?? rule.text ?? rule.rule),
  ),
]
