/** The texts of visits and pick lists, which only their pages load. */
import { type VisitTexts, visitsEn } from '../locales/visits-en.ts'
import { visitsZh } from '../locales/visits-zh.ts'
import { isEnglish } from './i18n.ts'

export const visitTexts = (): VisitTexts => (isEnglish() ? visitsEn : visitsZh)
