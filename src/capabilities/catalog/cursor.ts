/**
 * Where the next page begins: after this id, in this search. The id itself is the position, so goods that come or go in
 * between shift nothing. Opaque to callers; a check sum tells a cursor of ours from one made up or cut short.
 */
import { createHash } from 'node:crypto'

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** `search` is all that chose the goods: a cursor continues its own search and no other. */
export function writeCursor(search: string, lastId: string): string {
  const position = Buffer.from(lastId, 'utf8').toString('base64url')
  return `${position}.${digest(`${search}\n${lastId}`)}`
}

export function readCursor(search: string, cursor: string): string | undefined {
  const [position, sum, ...rest] = cursor.split('.')
  if (position === undefined || sum === undefined || rest.length > 0) return undefined
  const lastId = Buffer.from(position, 'base64url').toString('utf8')
  // Written again rather than compared in part: base64 has more than one spelling of the same bytes.
  return writeCursor(search, lastId) === cursor ? lastId : undefined
}
