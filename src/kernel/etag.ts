/** Strong entity tags of replies, and whether a caller already has one (RFC 9110, 13.1.2). */
import { createHash } from 'node:crypto'

export const etagOf = (content: string | Uint8Array): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`

/** `If-None-Match` is a list, compared weakly: a cache in between may have weakened the tag. */
export const isKnown = (ifNoneMatch: unknown, etag: string): boolean =>
  typeof ifNoneMatch === 'string' &&
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
