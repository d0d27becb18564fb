/** The tax in a column of a price list: `19%`, `8.875`, `exempt`. */
import { type DecimalSign, decimalOf, minorOf } from '../../../kernel/minor-units.ts'
import { RATE_DIGITS } from '../documents/order-document.ts'

const FREE: ReadonlySet<string> = new Set(
  'exempt, tax exempt, tax free, zero rated, none, steuerfrei, keine, exonéré, exonere, exento, esente, 免税, 无'.split(
    ', ',
  ),
)
const RATE_MAX = 50
/** `1`, `2`, `3` without a sign are more often classes of tax than rates, and so is a share such as 0.19. */
const CERTAIN_FROM = 4

/** In percent; undefined: the row states none. */
export function taxRateOf(text: string, decimal: DecimalSign): number | undefined | 'unreadable' {
  const plain = text.normalize('NFKC').trim().toLowerCase()
  if (plain === '' || plain === '-') return undefined
  if (FREE.has(plain)) return 0
  const [, digits = '', sign] = /^([\d.,]+) ?(%)?$/.exec(plain) ?? []
  const minor = minorOf(digits, RATE_DIGITS, decimal) ?? minorOf(digits, RATE_DIGITS, decimal === '.' ? ',' : '.')
  if (minor === undefined) return 'unreadable'
  const rate = Number(decimalOf(minor, RATE_DIGITS))
  const isCertain = sign !== undefined || rate === 0 || rate >= CERTAIN_FROM
  return isCertain && rate <= RATE_MAX ? rate : 'unreadable'
}
