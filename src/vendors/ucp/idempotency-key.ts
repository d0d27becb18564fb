/**
 * Idempotency keys of a purchase. UCP wants UUIDs; version 5 derives one from what the request is, so a retry after a restart
 * has the same key and a merchant answers it with the first result. A new attempt gets new keys: the old ones would replay
 * a session that was cancelled.
 */
import { createHash } from 'node:crypto'

/** The name space of URLs (RFC 9562, section 6.6). */
const URL_SPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

export interface KeyedStep {
  readonly namespace: string
  readonly ref: string
  readonly attempt: number
  /** `create`, `update`, `update-2`, `complete` or `cancel`. */
  readonly step: string
}

export const idempotencyKey = ({ namespace, ref, attempt, step }: KeyedStep): string =>
  uuidV5(['urn:vendops', namespace, ref, attempt, step].map((part) => encodeURIComponent(part)).join('/'))

export function uuidV5(name: string): string {
  const hash = createHash('sha1').update(URL_SPACE).update(name).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
