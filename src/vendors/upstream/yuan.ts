/** Reads decimal yuan as whole fen, digit by digit: amounts are never floats. */
import { type Fen, fen } from '../../kernel/fen.ts'
import { minorOfPlain } from '../../kernel/minor-units.ts'
import { type Fields, UnreadableReply } from './read-json.ts'

const YUAN_DIGITS = 2

/** Accepts `36`, `36.0`, `36.00`, `3.1` and `3.1000`; not a third decimal that is not zero. */
export function fenOfYuan(text: string): Fen | undefined {
  const amount = minorOfPlain(text, YUAN_DIGITS)
  return amount === undefined ? undefined : fen(amount)
}

/** An amount in yuan that is not negative. */
export function yuanPrice(fields: Fields, key: string): Fen {
  const amount = yuanAmount(fields, key)
  if (amount < 0) throw new UnreadableReply(`${key} is below zero`, key)
  return amount
}

export function yuanAmount(fields: Fields, key: string): Fen {
  const value = fields[key]
  const amount = typeof value === 'string' ? fenOfYuan(value) : undefined
  if (amount === undefined) throw new UnreadableReply(`${key} is not an amount in yuan`, key)
  return amount
}
