/**
 * Cursors of a catalog search: the id that the page before ended with, bound to its search by a digest. Because the id is
 * the position, products that come or go in between shift nothing.
 */
import { createHash } from 'node:crypto'
import { decodeCursor, encodeCursor } from '../../lib/pages.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** `search` is everything that selected the products: a cursor continues its own search and no other. */
export const writeCursor = (search: string, lastId: string): string =>
  encodeCursor(lastId, digest(`${search}\n${lastId}`))

export function readCursor(search: string, cursor: string): string | undefined {
  const [lastId, checksum] = decodeCursor(cursor, 'string', 'string') ?? []
  return lastId !== undefined && checksum === digest(`${search}\n${lastId}`) ? lastId : undefined
}
