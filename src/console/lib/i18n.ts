/** Chinese and English: the browser chooses, the person may choose otherwise. */
import { computed, signal } from '@preact/signals'
import { en } from '../locales/en.ts'
import { zh } from '../locales/zh.ts'
import type { Words } from '../locales/en.ts'
import { remember, remembered } from './storage.ts'

export type Language = 'en' | 'zh'
export const LANGUAGES: readonly Language[] = ['en', 'zh']

const isLanguage = (text: string | undefined): text is Language => text === 'en' || text === 'zh'

/** The first of the browser's languages that we speak. */
export function preferred(languages: readonly string[]): Language {
  return languages.map((tag) => tag.toLowerCase().slice(0, 2)).find(isLanguage) ?? 'en'
}

const kept = remembered('language')
export const language = signal<Language>(isLanguage(kept) ? kept : preferred(navigator.languages))

const words = computed<Words>(() => (language.value === 'zh' ? zh : en))

/** The words of the chosen language; a component that calls this is drawn anew when it changes. */
export const w = (): Words => words.value

export const locale = (): string => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

export function setLanguage(next: Language): void {
  language.value = next
  remember('language', next)
}
