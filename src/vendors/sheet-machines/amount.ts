/** Amounts and counts as exports of machine platforms write them, digit by digit. */

export type DecimalSign = '.' | ','

/** Currency signs and blanks of any kind around a number. */
const AROUND = /^[\p{Sc}\s]+|[\p{Sc}\s]+$/gu

/** Not filled in: blank, or a dash as spreadsheets print an empty amount. */
export const isBlank = (text: string): boolean => /^[\s–—-]*$/.test(text)

/** `1,234.50` or `1.234,50` to whole minor units; undefined for anything that is not exactly an amount of the currency. */
export function minorOfText(text: string, digits: number, decimal: DecimalSign = '.'): number | undefined {
  const number = text.replace(AROUND, '')
  const grouping = decimal === '.' ? ',' : '.'
  const [whole = '', decimals, ...rest] = number.split(decimal)
  if (rest.length > 0) return undefined
  const ungrouped = whole.split(grouping)
  const isGrouped = ungrouped.length === 1 || (/^\d{1,3}$/.test(ungrouped[0] ?? '') && areGroups(ungrouped.slice(1)))
  const plain = ungrouped.join('')
  if (!isGrouped || !/^\d{1,15}$/.test(plain) || !(decimals === undefined || /^\d+$/.test(decimals))) return undefined
  const fraction = (decimals ?? '').replace(/0+$/, '')
  if (fraction.length > digits) return undefined
  const amount = Number(plain + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(amount) ? amount : undefined
}

const areGroups = (groups: readonly string[]) => groups.every((group) => /^\d{3}$/.test(group))

/** A whole number that is not below zero: `7`, and `7.0` as spreadsheets write it. */
export const countOfText = (text: string, decimal: DecimalSign = '.'): number | undefined => {
  const count = minorOfText(text, 0, decimal)
  return count !== undefined && count <= 1_000_000 ? count : undefined
}
