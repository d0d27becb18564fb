/** Amounts and times as people write them, both ways. */
import { UsageError } from './exit.ts'

export { yuan } from '../kernel/fen.ts'

/** `3.50`, `¥3.5` or `4` as fen, digit by digit: a float never touches money. */
export function fenOf(text: string): number {
  const match = /^[¥￥]?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!match) throw new UsageError(`"${text}" is not an amount; write yuan like 3.50`)
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

/** The service writes times with the offset of the operator's zone; the wall time in them is what he goes by. */
export const when = (time: string | null | undefined): string | undefined =>
  time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : undefined

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

export const totalOf = (totals: readonly { readonly type: string; readonly amount: number }[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0
