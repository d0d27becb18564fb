/** Global trade item numbers: EAN-8, UPC-A, EAN-13 and GTIN-14 are one numbering, written at four lengths. */
import type { Brand } from '../../kernel/brand.ts'

/** Fourteen digits with a right check digit: equal exactly when two codes mean the same good. */
export type Gtin = Brand<string, 'Gtin'>

const LENGTH = 14

/** UCP's words for what a scanner reads, by number of digits. */
const SYMBOLOGY: Readonly<Record<number, string>> = { 8: 'EAN', 12: 'UPC', 13: 'EAN', 14: 'GTIN' }

const DIGITS = /^\d+$/

/** Weights 3 and 1 alternate from the right, the check digit itself counting once. */
function checks(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    sum += i % 2 === 1 ? 3 * digit : digit
  }
  return sum % 10 === 0
}

/**
 * The canonical form of a code, undefined when it is none. Leading zeros pad a short code to a long one without moving
 * the weights, so the UPC-A and the EAN-13 of one good come out equal. A case (GTIN-14 with an indicator) stays apart.
 */
export function parseGtin(text: string | undefined): Gtin | undefined {
  if (text === undefined) return undefined
  const digits = text.trim()
  if (SYMBOLOGY[digits.length] === undefined || !DIGITS.test(digits) || !checks(digits)) return undefined
  // Nothing but zeros passes the arithmetic, and is what feeds write when they know no code.
  return Number(digits) === 0 ? undefined : (digits.padStart(LENGTH, '0') as Gtin)
}

/** As the wire shows it; a code with a wrong check digit names nothing and is left out. */
export function barcodesOf(text: string | undefined): readonly { readonly type: string; readonly value: string }[] {
  if (text === undefined || parseGtin(text) === undefined) return []
  const value = text.trim()
  return [{ type: SYMBOLOGY[value.length] ?? 'GTIN', value }]
}
