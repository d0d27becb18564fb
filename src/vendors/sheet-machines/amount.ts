/** Amounts and counts as exports of machine platforms write them, digit by digit. */
import { minorOf } from '../../kernel/minor-units.ts'
import type { DecimalSign } from '../../kernel/minor-units.ts'

/** Currency signs and blanks of any kind around a number. */
const AROUND = /^[\p{Sc}\s]+|[\p{Sc}\s]+$/gu

/** Not filled in: blank, or a dash as spreadsheets print an empty amount. */
export const isBlank = (text: string): boolean => /^[\s–—-]*$/.test(text)

/** A price in a cell, with or without its currency sign; undefined for anything that is not exactly an amount of the currency. */
export function minorOfCell(text: string, digits: number, decimal: DecimalSign = '.'): number | undefined {
  const amount = minorOf(text.replace(AROUND, ''), digits, decimal)
  return amount !== undefined && amount >= 0 ? amount : undefined
}

/** A whole number that is not below zero: `7`, and `7.0` as spreadsheets write it. */
export const countOfText = (text: string, decimal: DecimalSign = '.'): number | undefined => {
  const count = minorOfCell(text, 0, decimal)
  return count !== undefined && count <= 1_000_000 ? count : undefined
}
