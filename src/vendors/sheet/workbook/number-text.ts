/**
 * Cells that hold a number to the text that a person sees, as an export to CSV has it: a date as a date, a rate with its sign,
 * a code with its leading zeros, and the digits that the cell shows. Amounts in a currency keep its sign.
 */
import type { DecimalSign } from '../../../kernel/minor-units.ts'

export interface NumberFormat {
  readonly kind: 'number' | 'date' | 'percent'
  /** Digits behind the point that are shown; undefined: as many as there are. */
  readonly digits?: number
  /** Shown with zeros in front up to this length. */
  readonly width?: number
  /** `€`, `USD` */
  readonly currency?: string
}

export const GENERAL: NumberFormat = { kind: 'number' }

/** What is only decoration: `"pcs"`, `\ `, `_-`, `*-`, `[Red]`. */
const DECORATION = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/gu

/** A format such as `#,##0.00 [$€-407]`, by its part for positive numbers. */
export function formatOf(code: string): NumberFormat {
  const [positive = ''] = code.split(';')
  const plain = positive.replaceAll(DECORATION, '')
  if (/[ymdhs]/iu.test(plain) && !/general/iu.test(plain)) return { kind: 'date' }
  const digits = /[0#?]\.([0#?]+)/u.exec(plain)?.[1]?.length
  const isPercent = plain.includes('%')
  const currency = currencyIn(positive)
  return {
    kind: isPercent ? 'percent' : 'number',
    ...(digits !== undefined && { digits }),
    ...(/^0{2,}$/.test(plain.trim()) && { width: plain.trim().length }),
    ...(currency !== undefined && { currency }),
  }
}

const currencyIn = (code: string): string | undefined =>
  /\[\$([A-Z]{3})(?:-[^\]]*)?\]/u.exec(code)?.[1] ?? /\p{Sc}/u.exec(code.replaceAll('[$', '['))?.[0]

/** Numbers of the formats that files do not spell out (ECMA-376 part 1, 18.8.30). */
export function builtInFormat(id: number): NumberFormat {
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58))
    return { kind: 'date' }
  if (id === 9 || id === 10) return { kind: 'percent', ...(id === 10 && { digits: 2 }) }
  return [2, 4, 7, 8, 39, 40, 43, 44].includes(id) ? { kind: 'number', digits: 2 } : GENERAL
}

/** Spreadsheet programs show no more; what is behind is the error of computing with floats. */
const SIGNIFICANT = 15
/** Prices have at least as many; a column that shows fewer hides some of them. */
const ROUNDED_FROM = 2

export function numberText(raw: string, format: NumberFormat, decimal: DecimalSign): string {
  const value = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(value)) return raw
  const { kind, digits, width, currency } = format
  const plain = plainOf(kind === 'percent' ? value * 100 : value)
  if (plain === undefined) return raw
  const shown = digits !== undefined && digits >= ROUNDED_FROM ? roundTo(plain, digits) : plain
  const padded = width !== undefined && /^\d+$/.test(shown) ? shown.padStart(width, '0') : shown
  const text = decimal === ',' ? padded.replace('.', ',') : padded
  if (kind === 'percent') return `${text}%`
  return currency === undefined ? text : `${currency} ${text}`
}

/** Without an exponent; undefined where that would take more digits than a number has. */
function plainOf(value: number): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  const text = String(Number(value.toPrecision(SIGNIFICANT)))
  if (!text.includes('e')) return text
  return Math.abs(value) < 1 ? value.toFixed(SIGNIFICANT).replace(/\.?0+$/, '') : undefined
}

/** Half up, by the digits as they are written: a float may hold 1.005 as a little less. */
function roundTo(plain: string, digits: number): string {
  const [whole = '', fraction = ''] = plain.split('.')
  if (fraction.length <= digits) return plain
  const isNegative = whole.startsWith('-')
  const kept = BigInt(whole.replace('-', '') + fraction.slice(0, digits)) + (Number(fraction[digits]) >= 5 ? 1n : 0n)
  const text = String(kept).padStart(digits + 1, '0')
  return `${isNegative ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const DAY_MS = 86_400_000
/** Day 0 of the two calendars. The first one has a 29 February 1900, which only matters for the days before it. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
/** 31 December 9999. */
const DAYS_MAX = 2_958_465

/** `2026-11-17`, with the time where there is one. */
export function dateText(raw: string, calendar: keyof typeof EPOCHS): string {
  const days = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(days) || days < 0 || days > DAYS_MAX) return raw
  const iso = new Date(EPOCHS[calendar] + Math.round(days * 86_400) * 1_000).toISOString()
  if (days < 1) return iso.slice(11, 16)
  return (Math.round(days * 86_400) * 1_000) % DAY_MS === 0 ? iso.slice(0, 10) : iso.slice(0, 16).replace('T', ' ')
}
