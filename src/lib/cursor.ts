/** Opaque page cursors: the sort key of the last entry, as base64url JSON. */
import { hasNul } from '../kernel/nul.ts'

export type PartType = 'string' | 'number'
export type CursorParts<T extends readonly PartType[]> = {
  -readonly [I in keyof T]: T[I] extends 'string' ? string : number
}

export const encodeCursor = (...parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Undefined unless the cursor has parts of these types. Rejects non-canonical base64 and NUL. */
export function decodeCursor<const T extends readonly PartType[]>(
  cursor: string,
  ...types: T
): CursorParts<T> | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== types.length) return undefined
  const hasTypes = types.every((type, i) =>
    type === 'number' ? Number.isSafeInteger(parts[i]) : typeof parts[i] === type,
  )
  const isCanonical = hasTypes && encodeCursor(...(parts as (string | number)[])) === cursor
  return isCanonical && !hasNul(parts) ? (parts as CursorParts<T>) : undefined
}
