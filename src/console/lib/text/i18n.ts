/** Chinese and English: the browser's language first, then the person's choice. */
import { signal } from '@preact/signals'
import { type Texts, TEXTS } from '../../locales/index.ts'
import { WORDS } from '../../locales/words.ts'
import { saveSetting, readSetting } from '../storage.ts'

export type Language = 'en' | 'zh'
export const LANGUAGES: readonly Language[] = ['en', 'zh']

const isLanguage = (text: string | undefined): text is Language => text === 'en' || text === 'zh'

/** The first of the browser's languages that the console has. */
export const preferredLanguage = (languages: readonly string[]): Language =>
  languages.map((tag) => tag.toLowerCase().slice(0, 2)).find(isLanguage) ?? 'en'

const saved = readSetting('language')
export const language = signal<Language>(isLanguage(saved) ? saved : preferredLanguage(navigator.languages))

/** A table in the chosen language; a component that calls this is redrawn when the language changes. */
export const textsOf = <T>(table: Readonly<Record<Language, T>>): T => table[language.value]

export const texts = (): Texts => textsOf(TEXTS)

/** What several pages say in the same words. */
export const words = () => textsOf(WORDS)

export const isEnglish = (): boolean => language.value === 'en'
export const locale = (): string => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

export function setLanguage(next: Language): void {
  language.value = next
  saveSetting('language', next)
}
