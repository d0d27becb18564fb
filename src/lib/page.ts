/** Pages of a listing. The cursor is opaque and says where the page before ended. */
import { accept, refuse } from '../kernel/outcome.ts'
import type { Outcome } from '../kernel/outcome.ts'
import { INVALID_CURSOR } from '../kernel/text.ts'
import { decodeCursor } from './cursor.ts'
import type { CursorParts, PartType } from './cursor.ts'

/** The parts of a request's cursor; undefined without one. A cursor that this listing did not issue is refused. */
export function parseCursor<const T extends readonly PartType[]>(
  cursor: string | undefined,
  path: string,
  ...types: T
): Outcome<CursorParts<T> | undefined> {
  if (cursor === undefined) return accept(undefined)
  const parts = decodeCursor(cursor, ...types)
  return parts ? accept(parts) : refuse('invalid', INVALID_CURSOR, path)
}

interface Pagination {
  readonly cursor?: string
  readonly has_next_page: boolean
}

export interface Page<T> {
  readonly entries: readonly T[]
  readonly pagination: Pagination
}

/** `last` is the entry after which the next page begins; undefined when there is none. */
export const paginationOf = <T>(last: T | undefined, cursorOf: (last: T) => string): Pagination =>
  last === undefined ? { has_next_page: false } : { cursor: cursorOf(last), has_next_page: true }

/** `rows` holds one row more than the page when there is a next one. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const entries = rows.slice(0, limit)
  return { entries, pagination: paginationOf(rows.length > limit ? entries.at(-1) : undefined, cursorOf) }
}
