/** The tables by language. A table that is not imported costs the console nothing. */
import * as en from './en.ts'
import type { Both } from './sentences.ts'
import * as zh from './zh.ts'

export const CODES = { en: en.CODES, zh: zh.CODES }
export const FIELDS = { en: en.FIELDS, zh: zh.FIELDS }
export const VALUES = { en: en.VALUES, zh: zh.VALUES }
export const MESSAGES: Both<typeof en.MESSAGES, typeof zh.MESSAGES> = { en: en.MESSAGES, zh: zh.MESSAGES }
export const EVENTS: Both<typeof en.EVENTS, typeof zh.EVENTS> = { en: en.EVENTS, zh: zh.EVENTS }
export const SUBJECTS: Both<typeof en.SUBJECTS, typeof zh.SUBJECTS> = { en: en.SUBJECTS, zh: zh.SUBJECTS }
export const RULES: Both<typeof en.RULES, typeof zh.RULES> = { en: en.RULES, zh: zh.RULES }
export const QUESTIONS: Both<typeof en.QUESTIONS, typeof zh.QUESTIONS> = { en: en.QUESTIONS, zh: zh.QUESTIONS }
export const QUESTION_REASONS: Both<typeof en.QUESTION_REASONS, typeof zh.QUESTION_REASONS> = {
  en: en.QUESTION_REASONS,
  zh: zh.QUESTION_REASONS,
}
export const QUESTION_OPTIONS: Both<typeof en.QUESTION_OPTIONS, typeof zh.QUESTION_OPTIONS> = {
  en: en.QUESTION_OPTIONS,
  zh: zh.QUESTION_OPTIONS,
}

export const NOTICE_TITLES: Both<typeof en.NOTICE_TITLES, typeof zh.NOTICE_TITLES> = {
  en: en.NOTICE_TITLES,
  zh: zh.NOTICE_TITLES,
}
export const NOTICE_TEXTS: Both<typeof en.NOTICE_TEXTS, typeof zh.NOTICE_TEXTS> = {
  en: en.NOTICE_TEXTS,
  zh: zh.NOTICE_TEXTS,
}
export const NOTICE_LINES: Both<typeof en.NOTICE_LINES, typeof zh.NOTICE_LINES> = {
  en: en.NOTICE_LINES,
  zh: zh.NOTICE_LINES,
}
export const TEST_NOTICE = { en: en.TEST_NOTICE, zh: zh.TEST_NOTICE }
export const NOTICE_COMMA = { en: en.NOTICE_COMMA, zh: zh.NOTICE_COMMA }
export const NOTICE_BUTTONS = { en: en.NOTICE_BUTTONS, zh: zh.NOTICE_BUTTONS }
export const noticesTitle = { en: en.noticesTitle, zh: zh.noticesTitle }
/** English shows the service's own sentence. */
export const REFUSED: Readonly<Record<'en' | 'zh', Readonly<Record<string, string>>>> = { en: {}, zh: zh.REFUSED }
