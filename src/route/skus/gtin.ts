/** Global trade item numbers: EAN-8, UPC-A, EAN-13 and GTIN-14 are one numbering, written at four lengths. */
import type { Brand } from '../../kernel/brand.ts'

/** Fourteen digits with a valid check digit: two codes are equal exactly when they mean the same product. */
export type Gtin = Brand<string, 'Gtin'>

const LENGTH = 14

/** The barcode type of UCP, by number of digits. */
const SYMBOLOGY: Readonly<Record<number, string>> = { 8: 'EAN', 12: 'UPC', 13: 'EAN', 14: 'GTIN' }

const DIGITS = /^\d+$/

/** Weights 1 and 3 alternate from the right, starting with the check digit. */
function hasValidCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    sum += i % 2 === 1 ? 3 * digit : digit
  }
  return sum % 10 === 0
}

/**
 * The canonical form of a code; undefined when it is not a valid one. Leading zeros do not change the check digit, so the
 * UPC-A and the EAN-13 of one product become equal. The GTIN-14 of a case has an indicator digit and stays different.
 */
export function parseGtin(text: string | undefined): Gtin | undefined {
  if (text === undefined) return undefined
  const digits = text.trim()
  if (SYMBOLOGY[digits.length] === undefined || !DIGITS.test(digits) || !hasValidCheckDigit(digits)) return undefined
  // All zeros pass the check, but mean "no code" in vendors' data.
  return Number(digits) === 0 ? undefined : (digits.padStart(LENGTH, '0') as Gtin)
}

/** As the wire shows it; a code with a wrong check digit is left out. */
export function barcodesOf(text: string | undefined): readonly { readonly type: string; readonly value: string }[] {
  if (text === undefined || parseGtin(text) === undefined) return []
  const value = text.trim()
  return [{ type: SYMBOLOGY[value.length] ?? 'GTIN', value }]
}
