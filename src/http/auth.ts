/**
 * Section 5: one token, as a bearer or in the cookie `service_auth`, compared in constant time. The cookie may also hold
 * a session that signing in opened.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { SECOND } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/bounded-map.ts'

export const COOKIE = 'service_auth'
const FREE_FAILURES = 5
const DELAY_FIRST_MS = 50
/** A token of 16 characters cannot be guessed at one try a second; a longer wait would only hold sockets open. */
const DELAY_MAX_MS = SECOND
const FORGET_AFTER_MS = 600 * SECOND
const ADDRESSES_KEPT = 10_000

const digest = (text: string) => hash('sha256', text, 'buffer')

export interface Credentials {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
}

/** How the caller proved itself; a cookie rides along with any request a browser sends, so writes need more (CSRF). */
export type Proof = 'bearer' | 'cookie' | 'session'

export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, ...rest] = part.split('=')
    if (key?.trim() === name) return rest.join('=').trim()
  }
  return undefined
}

/** What sign-in wrote: a token may hold letters that mean something else in a cookie. */
function unescaped(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

export function authenticator(token: string) {
  const expected = digest(token)
  // Digests have one length whatever was sent, so the comparison takes one time.
  const matches = (given: string) => timingSafeEqual(digest(given), expected)

  return {
    matches,
    prove({ authorization, cookie }: Credentials): Proof | undefined {
      if (authorization !== undefined) {
        const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
        return bearer !== undefined && matches(bearer) ? 'bearer' : undefined
      }
      const value = cookieValue(cookie, COOKIE)
      return value !== undefined && (matches(value) || matches(unescaped(value))) ? 'cookie' : undefined
    },
  }
}

export type Authenticator = ReturnType<typeof authenticator>

/**
 * Whether a page that is not ours made the browser send this. A browser names the page's origin on every write and every
 * upgrade; a caller that names none is no browser, and no other page can have made it send anything.
 */
export function isForeign(headers: Origins, publicUrl: string): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined) return site !== undefined && site !== 'same-origin' && site !== 'none'
  if (typeof origin !== 'string' || !URL.canParse(origin)) return true
  return new URL(origin).origin !== new URL(publicUrl).origin && new URL(origin).host !== host
}

type Origins = Readonly<Partial<Record<'origin' | 'host' | 'sec-fetch-site', string | readonly string[] | undefined>>>

/** A growing pause per address after repeated failures; guessing gets slow, a typing mistake does not. */
export function failureDelay(clock: Clock) {
  const failures = new BoundedMap<string, { readonly count: number; readonly at: number }>(ADDRESSES_KEPT)
  return {
    next(address: string): number {
      const now = clock.elapsed()
      const known = failures.get(address)
      const count = known && now - known.at < FORGET_AFTER_MS ? known.count + 1 : 1
      failures.set(address, { count, at: now })
      return count <= FREE_FAILURES ? 0 : Math.min(DELAY_FIRST_MS * 2 ** (count - FREE_FAILURES - 1), DELAY_MAX_MS)
    },
    forget: (address: string) => void failures.delete(address),
  }
}
