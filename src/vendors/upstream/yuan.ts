/** Decimal yuan as upstreams write them, to whole fen, digit by digit: a float never sees an amount. */
import { fen } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'
import { UnreadableReply } from './read-json.ts'
import type { Fields } from './read-json.ts'

const DECIMAL_YUAN = /^(-?)(\d{1,14})(?:\.(\d{1,2})0*)?$/

/** `36`, `36.0`, `36.00`, `3.1` and `3.1000` are amounts; a third decimal that is not zero is not, nor is anything else. */
export function fenOfYuan(text: string): Fen | undefined {
  const match = DECIMAL_YUAN.exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '', cents = ''] = match
  const amount = Number(whole + cents.padEnd(2, '0'))
  if (!Number.isSafeInteger(amount)) return undefined
  return fen(sign && amount ? -amount : amount)
}

/** A price: an amount in yuan that is not below zero. */
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
