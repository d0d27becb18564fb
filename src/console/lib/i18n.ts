/** Chinese and English: the browser's language first, then the person's choice. */
import { computed, signal } from '@preact/signals'
import { type Texts, en } from '../locales/en.ts'
import { WORDS } from '../locales/words.ts'
import { zh } from '../locales/zh.ts'
import { saveSetting, readSetting } from './storage.ts'

export type Language = 'en' | 'zh'
export const LANGUAGES: readonly Language[] = ['en', 'zh']

const isLanguage = (text: string | undefined): text is Language => text === 'en' || text === 'zh'

/** The first of the browser's languages that the console has. */
export const preferredLanguage = (languages: readonly string[]): Language =>
  languages.map((tag) => tag.toLowerCase().slice(0, 2)).find(isLanguage) ?? 'en'

const saved = readSetting('language')
export const language = signal<Language>(isLanguage(saved) ? saved : preferredLanguage(navigator.languages))

const current = computed<Texts>(() => (language.value === 'zh' ? zh : en))

/** The texts of the chosen language; a component that calls this is redrawn when the language changes. */
export const texts = (): Texts => current.value

/** Both languages of a page that is loaded when it is opened; the second has the type of the first, so a missing text does not compile. */
export type PageTexts<T> = Readonly<Record<Language, T>>
export const pageTexts = <T>(texts: PageTexts<T>): T => texts[language.value]

/** What several pages say in the same words. */
export const words = () => pageTexts(WORDS)

export const isEnglish = (): boolean => language.value === 'en'
export const locale = (): string => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

export function setLanguage(next: Language): void {
  language.value = next
  saveSetting('language', next)
}
