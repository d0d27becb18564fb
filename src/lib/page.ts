/** Pages of a listing. The cursor is opaque and says where the page before ended. */
import { type Outcome, accept, refuse } from '../kernel/outcome.ts'
import { INVALID_CURSOR } from '../kernel/text.ts'
import { type CursorParts, type PartType, decodeCursor, encodeCursor } from './cursor.ts'

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

/**
 * Part of a list that is in memory as a whole. Without a limit and a cursor it is the whole list, and has no `pagination`.
 * Goes on after the last entry of the page before; where that one is gone, with the entry that took its place.
 */
export function partOf<T>(
  all: readonly T[],
  { limit, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  limitMax: number,
  idOf: (entry: T) => string,
): Outcome<{ readonly entries: readonly T[]; readonly pagination?: Pagination }> {
  if (limit === undefined && cursor === undefined) return accept({ entries: all })
  const position = parseCursor(cursor, '$.cursor', 'number', 'string')
  if (!position.ok) return position
  const [before, lastId] = position.value ?? [0, '']
  const last = position.value ? all.findIndex((entry) => idOf(entry) === lastId) : -1
  const start = position.value ? (last < 0 ? Math.max(0, before - 1) : last + 1) : 0
  const size = Math.min(limit ?? limitMax, limitMax)
  const shown = start + size
  return accept(pageOf(all.slice(start, shown + 1), size, (entry) => encodeCursor(shown, idOf(entry))))
}
