/** Opaque page cursors: where the page before ended, in words only the listing that made them reads. */
import { holdsNul } from '../kernel/nul.ts'

type Part = string | number

export const encodeCursor = (...parts: readonly Part[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/**
 * Undefined for anything that is not a cursor of this shape, as it was handed out: each word names what its place must
 * hold, base64 has more than one spelling of the same bytes, and what a database cannot hold came from nobody's page.
 */
export function decodeCursor<const W extends readonly ('string' | 'number')[]>(
  text: string,
  ...words: W
): { -readonly [I in keyof W]: W[I] extends 'string' ? string : number } | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== words.length) return undefined
  const fits = words.every((word, i) => (word === 'number' ? Number.isSafeInteger(parts[i]) : typeof parts[i] === word))
  return fits && encodeCursor(...(parts as Part[])) === text && !holdsNul(parts) ? (parts as never) : undefined
}
