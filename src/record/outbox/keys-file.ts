/**
 * SIGNING_KEYS_FILE: a JWK Set with private parts. A new key is published first and signs once every cached profile shows it;
 * a retired one stays published until its last signatures have been verified. Pure.
 */
import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { DAY, MINUTE, parseRfc3339, rfc3339 } from '../../kernel/clock.ts'
import { isFields } from '../../lib/objects.ts'
import type { MessageKey } from '../../kernel/message-signature.ts'

/** Twice the `max-age` of the profile. */
const PUBLISH_MS = 10 * MINUTE
const RETIRED_MS = 7 * DAY

/** As published: no member of the private key. */
export interface PublicJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'ES256'
}

export interface StoredKey extends MessageKey {
  readonly publicJwk: PublicJwk
  readonly createdAt: number
  readonly retiredAt: number | undefined
}

export type KeysResult =
  | { readonly ok: true; readonly keys: readonly StoredKey[] }
  | { readonly ok: false; readonly problem: string }

/** RFC 7638. */
export const thumbprint = ({ x, y }: { readonly x: string; readonly y: string }): string =>
  hash('sha256', JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }), 'base64url')

function keyOf(privateKey: KeyObject, createdAt: number, retiredAt: number | undefined): StoredKey | undefined {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined) return undefined
  const kid = thumbprint({ x, y })
  return { kid, privateKey, publicJwk: { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' }, createdAt, retiredAt }
}

export function createKey(now: number): StoredKey {
  const key = keyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, now, undefined)
  if (!key) throw new Error('a generated key is not a P-256 key')
  return key
}

/** Problems never quote the file: it holds private keys. */
export function parseKeys(text: string): KeysResult {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not JSON' }
  }
  if (!isFields(value) || !Array.isArray(value['keys'])) return { ok: false, problem: 'must have a list "keys"' }
  const keys: StoredKey[] = []
  for (const [i, jwk] of (value['keys'] as readonly unknown[]).entries()) {
    const key = isFields(jwk) ? parseKey(jwk) : undefined
    if (!key) return { ok: false, problem: `has no private P-256 key with its created_at at keys[${i}]` }
    if (isFields(jwk) && jwk['kid'] !== key.kid)
      return { ok: false, problem: `has another kid than the RFC 7638 thumbprint at keys[${i}]` }
    if (keys.some(({ kid }) => kid === key.kid)) return { ok: false, problem: `has the key of keys[${i}] twice` }
    keys.push(key)
  }
  return keys.some(({ retiredAt }) => retiredAt === undefined)
    ? { ok: true, keys }
    : { ok: false, problem: 'has no key that is in use' }
}

const timeOf = (value: unknown): number | undefined => (typeof value === 'string' ? parseRfc3339(value) : undefined)

function parseKey(jwk: Readonly<Record<string, unknown>>): StoredKey | undefined {
  const createdAt = timeOf(jwk['created_at'])
  const retiredAt = jwk['retired_at'] === undefined ? undefined : timeOf(jwk['retired_at'])
  if (createdAt === undefined || (jwk['retired_at'] !== undefined && retiredAt === undefined)) return undefined
  try {
    const key = keyOf(createPrivateKey({ key: jwk, format: 'jwk' }), createdAt, retiredAt)
    return key?.publicJwk.x === jwk['x'] && key?.publicJwk.y === jwk['y'] ? key : undefined
  } catch {
    return undefined
  }
}

/** The text of the file. */
export const writeKeys = (keys: readonly StoredKey[]): string =>
  `${JSON.stringify(
    {
      keys: keys.map(({ publicJwk, privateKey, createdAt, retiredAt }) => ({
        ...publicJwk,
        d: privateKey.export({ format: 'jwk' }).d,
        created_at: rfc3339(createdAt),
        ...(retiredAt === undefined ? {} : { retired_at: rfc3339(retiredAt) }),
      })),
    },
    null,
    2,
  )}\n`

const isPublished = ({ retiredAt }: StoredKey, now: number): boolean =>
  retiredAt === undefined || now < retiredAt + RETIRED_MS

export const publishedKeys = (keys: readonly StoredKey[], now: number): readonly StoredKey[] =>
  keys.filter((key) => isPublished(key, now))

/**
 * The first key that every cached profile shows. The only key of a deployment signs at once: there is no older profile with
 * keys. `publishedAt`: a file may reach the service long after its key was created.
 */
export function currentKey(
  keys: readonly StoredKey[],
  now: number,
  publishedAt: (key: StoredKey) => number = ({ createdAt }) => createdAt,
): StoredKey | undefined {
  const inUse = keys.filter(({ retiredAt }) => retiredAt === undefined)
  return inUse.find((key) => now - publishedAt(key) >= PUBLISH_MS) ?? inUse.at(-1)
}

export type RetireResult =
  | { readonly ok: true; readonly keys: readonly StoredKey[] }
  | { readonly ok: false; readonly problem: 'unknown' | 'retired' | 'last' | 'successor_too_new' }

/** A key that signs is retired only when another one can sign in its place. */
export function retireKey(keys: readonly StoredKey[], kid: string, now: number): RetireResult {
  const key = keys.find((each) => each.kid === kid)
  if (!key) return { ok: false, problem: 'unknown' }
  if (key.retiredAt !== undefined) return { ok: false, problem: 'retired' }
  const others = keys.filter((each) => each.kid !== kid && each.retiredAt === undefined)
  if (others.length === 0) return { ok: false, problem: 'last' }
  if (!others.some(({ createdAt }) => now - createdAt >= PUBLISH_MS)) return { ok: false, problem: 'successor_too_new' }
  return { ok: true, keys: keys.map((each) => (each.kid === kid ? { ...each, retiredAt: now } : each)) }
}
