/** Amounts and counts as exports of machine platforms write them, digit by digit. */
import { type DecimalSign, minorOf } from '../../kernel/minor-units.ts'

/** Not filled in: blank, or a dash as spreadsheets print an empty amount. */
export const isBlank = (text: string): boolean => /^[\s–—-]*$/.test(text)

/** A price in a cell, with or without the signs of its currency; undefined for anything that is not exactly an amount of it. */
export function minorOfCell(
  text: string,
  digits: number,
  decimal: DecimalSign = '.',
  signs?: RegExp,
): number | undefined {
  const plain = text.trim()
  const amount = minorOf(signs ? plain.replaceAll(signs, '') : plain, digits, decimal)
  return amount !== undefined && amount >= 0 ? amount : undefined
}

/** A whole number that is not below zero: `7`, and `7.0` as spreadsheets write it. */
export const countOfText = (text: string, decimal: DecimalSign = '.'): number | undefined => {
  const count = minorOfCell(text, 0, decimal)
  return count !== undefined && count <= 1_000_000 ? count : undefined
}
