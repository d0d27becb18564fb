/** What a request of OAuth has to be: addresses, challenges and names. Pure, apart from chance. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { PERSON_NAME_MAX } from '../../contract/limits.ts'

const URI_MAX = 512
const URIS_MAX = 5
/** base64url of a SHA-256. */
const CHALLENGE = /^[\w-]{43}$/
const VERIFIER = /^[\w.~-]{43,128}$/

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Where a code may be sent: to a host over TLS, or to a program on the same computer. */
function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > URI_MAX || !URL.canParse(uri) || uri.includes('#')) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))
}

export const areRedirectUris = (uris: unknown): uris is readonly string[] =>
  Array.isArray(uris) && uris.length > 0 && uris.length <= URIS_MAX && uris.every(isRedirectUri)

/** A name as it is shown: what cannot be seen, or turns text around, is left out. */
export function clientName(given: unknown): string {
  const text = typeof given === 'string' ? given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim() : ''
  return text === '' ? 'Agent' : text.slice(0, 30).trim()
}

/** The name of the key: who asked, and where the code went. Of several with one name, the number, too. */
export function personName(client: string, redirectUri: string, number: number): string {
  const base = `${client} (${new URL(redirectUri).hostname.slice(0, 25)})`
  return (number === 1 ? base : `${base} ${number}`).slice(0, PERSON_NAME_MAX)
}

export const isChallenge = (text: string | undefined): text is string => text !== undefined && CHALLENGE.test(text)

export const isSame = (one: string, two: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', two, 'buffer'))

/** PKCE, S256. */
export const isVerified = (verifier: string | undefined, challenge: string): boolean =>
  verifier !== undefined && VERIFIER.test(verifier) && isSame(hash('sha256', verifier, 'base64url'), challenge)

export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

/** The grant and the secret of a refresh token. */
const REFRESH = /^vr_([\w-]{22})_([\w-]{43})$/
export const newGrantId = (): string => randomBytes(16).toString('base64url')
export const newRefreshToken = (grant: string): string => `vr_${grant}_${randomBytes(32).toString('base64url')}`
export const grantIdIn = (token: string | undefined): string | undefined => REFRESH.exec(token ?? '')?.[1]

/** The parameters of a query or a form; undefined where one is there twice, as the protocol forbids. */
export function paramsOf(text: string): ReadonlyMap<string, string> | undefined {
  const params = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (params.has(name)) return undefined
    params.set(name, value)
  }
  return params
}
