/** Formats and parses amounts and times. */
import { UsageError } from './exit.ts'

export { yuan } from '../kernel/fen.ts'

/** Parses `3.50`, `¥3.5` or `4` into fen digit by digit, so that no float holds money. */
export function parseYuan(text: string): number {
  const match = /^[¥￥]?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!match) throw new UsageError(`"${text}" is not an amount; use yuan, e.g. 3.50`)
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

/** Times carry the offset of the operator's time zone, so the text already shows the operator's local time. */
export const formatTime = (time: string | null | undefined): string | undefined =>
  time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : undefined

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

export const totalOf = (totals: readonly { readonly type: string; readonly amount: number }[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0
