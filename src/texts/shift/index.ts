/** The journal of the operator by language. */
import type { Both } from '../sentences.ts'
import * as en from './en.ts'
import * as zh from './zh.ts'

export const SHIFT_SAW: Both<typeof en.SHIFT_SAW, typeof zh.SHIFT_SAW> = { en: en.SHIFT_SAW, zh: zh.SHIFT_SAW }
export const SHIFT_DID: Both<typeof en.SHIFT_DID, typeof zh.SHIFT_DID> = { en: en.SHIFT_DID, zh: zh.SHIFT_DID }
export const SHIFT_BECAUSE: Both<typeof en.SHIFT_BECAUSE, typeof zh.SHIFT_BECAUSE> = {
  en: en.SHIFT_BECAUSE,
  zh: zh.SHIFT_BECAUSE,
}
export const SHIFT_SUMMARY: Both<typeof en.SHIFT_SUMMARY, typeof zh.SHIFT_SUMMARY> = {
  en: en.SHIFT_SUMMARY,
  zh: zh.SHIFT_SUMMARY,
}
