/**
 * Where the next page begins: after this id, in this search. The id itself is the position, so goods that come or go in
 * between shift nothing.
 */
import { createHash } from 'node:crypto'
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** `search` is all that chose the goods: a cursor continues its own search and no other. */
export const writeCursor = (search: string, lastId: string): string =>
  encodeCursor(lastId, digest(`${search}\n${lastId}`))

export function readCursor(search: string, cursor: string): string | undefined {
  const [lastId, sum] = decodeCursor(cursor, 'string', 'string') ?? []
  return lastId !== undefined && sum === digest(`${search}\n${lastId}`) ? lastId : undefined
}
