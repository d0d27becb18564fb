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
