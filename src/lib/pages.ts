/** Lists in pages: cursors, and lists that are read while they are sent. */
import { hasNul } from '../kernel/nul.ts'
import { type Outcome, accept, refuse } from '../kernel/outcome.ts'
import { INVALID_CURSOR } from '../kernel/text.ts'
import { yieldToEventLoop } from './concurrency.ts'

/** Opaque page cursors: the sort key of the last entry, as base64url JSON. */
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

/**
 * A listing without pages. It is read in chunks by keyset; later chunks are read while the reply is sent, so that only one
 * chunk of a list of any length is in memory.
 */
export interface Chunk<T, Key> {
  readonly entries: T[]
  /** Where the next chunk begins; undefined after the last. */
  readonly next: Key | undefined
}

interface ListReply<Member extends string, T> {
  readonly body: Record<Member, T[]>
  readonly long?: { readonly member: Member; readonly chunks: AsyncIterable<readonly T[]> }
}

export async function listReply<Member extends string, T, Key>(
  member: Member,
  read: (after: Key | undefined) => Promise<Chunk<T, Key>>,
): Promise<ListReply<Member, T>> {
  const first = await read(undefined)
  const body = (entries: T[]) => ({ [member]: entries }) as Record<Member, T[]>
  if (first.next === undefined) return { body: body(first.entries) }

  async function* chunks(): AsyncGenerator<readonly T[]> {
    let chunk = first
    while (true) {
      yield chunk.entries
      if (chunk.next === undefined) return
      await yieldToEventLoop()
      chunk = await read(chunk.next)
    }
  }
  return { body: body([]), long: { member, chunks: chunks() } }
}
