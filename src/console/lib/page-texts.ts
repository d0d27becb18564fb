/** Texts of pages that are loaded when they are opened: they stay out of the first bundle. */
import { type Language, language } from './i18n.ts'

/** Both languages of a page; the second has the type of the first, so a missing text does not compile. */
export type PageTexts<T> = Readonly<Record<Language, T>>

/** The texts in the chosen language; a component that calls this is redrawn when the language changes. */
export const pageTexts = <T>(texts: PageTexts<T>): T => texts[language.value]
