/**
 * Authentication: the operator token or a key, as a bearer or in the cookie `service_auth`, compared in
 * constant time. The cookie may also hold the session that signing in created.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/caches.ts'
import type { Refusal } from '../../kernel/outcome.ts'

/** The refusal, and how long to wait before it is sent. */
export interface Denied {
  readonly refusal: Refusal
  readonly delayMs?: number
}

export const COOKIE = 'service_auth'
const FREE_FAILURES = 5
/** Of all addresses within FORGET_AFTER_MS. */
const FREE_FAILURES_OVERALL = 500
const DELAY_FIRST_MS = 50
/** A token of 16 characters cannot be guessed at one try a second; a longer delay would only keep sockets open. */
const DELAY_MAX_MS = SECOND
const FORGET_AFTER_MS = 600 * SECOND
const ADDRESSES_MAX = 10_000

const digest = (text: string) => hash('sha256', text, 'buffer')

export interface Credentials {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
}

/** A browser sends the cookie with every request, also one that another site made, so cookie writes are checked for CSRF. */
export type AuthMethod = 'bearer' | 'cookie' | 'session'

export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, ...rest] = part.split('=')
    if (key?.trim() === name) return rest.join('=').trim()
  }
  return undefined
}

/** A token may contain characters that have a meaning in a cookie, so clients may send it URL-encoded. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** What the request presents, whoever it belongs to; undefined when there is nothing. */
export function presentedSecret({ authorization, cookie }: Credentials): string | undefined {
  if (authorization !== undefined) return bearerOf(authorization)
  return cookieValue(cookie, COOKIE)
}

const bearerOf = (authorization: string): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

export function authenticator(token: string) {
  const expected = digest(token)
  // Digests have the same length whatever was sent, so the comparison takes constant time.
  const isToken = (given: string) => timingSafeEqual(digest(given), expected)

  return {
    isToken,
    authenticate({ authorization, cookie }: Credentials): AuthMethod | undefined {
      if (authorization !== undefined) {
        const bearer = bearerOf(authorization)
        return bearer !== undefined && isToken(bearer) ? 'bearer' : undefined
      }
      const value = cookieValue(cookie, COOKIE)
      return value !== undefined && (isToken(value) || isToken(decode(value))) ? 'cookie' : undefined
    },
  }
}

export type Authenticator = ReturnType<typeof authenticator>

/**
 * Whether a page of another origin made the browser send this (CSRF). Browsers send Origin or Sec-Fetch-Site with every
 * write and every upgrade; a caller that sends neither is not a browser.
 */
export function isCrossOrigin(headers: OriginHeaders, publicUrl: string): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined) return site !== undefined && site !== 'same-origin' && site !== 'none'
  if (typeof origin !== 'string' || !URL.canParse(origin)) return true
  return new URL(origin).origin !== new URL(publicUrl).origin && new URL(origin).host !== host
}

type OriginHeaders = Readonly<
  Partial<Record<'origin' | 'host' | 'sec-fetch-site', string | readonly string[] | undefined>>
>

const delayAfter = (count: number, free: number): number =>
  count <= free ? 0 : Math.min(DELAY_FIRST_MS * 2 ** (count - free - 1), DELAY_MAX_MS)

/**
 * A growing delay after repeated failures, per address and over all: slows down guessing, not typing mistakes. Only failures
 * wait, so no address can lock out another one that has a valid key.
 */
export function failureDelay(clock: Clock) {
  const failures = new BoundedMap<string, { readonly count: number; readonly at: number }>(ADDRESSES_MAX)
  let overall = 0
  let overallAt = clock.elapsed()

  /** Failures of all addresses, which fade evenly: guessing from many addresses is slowed down, too. */
  function countOverall(now: number): number {
    overall = Math.max(0, overall - ((now - overallAt) / FORGET_AFTER_MS) * FREE_FAILURES_OVERALL) + 1
    overallAt = now
    return overall
  }

  return {
    nextMs(address: string): number {
      const now = clock.elapsed()
      const known = failures.get(address)
      const count = known && now - known.at < FORGET_AFTER_MS ? known.count + 1 : 1
      failures.set(address, { count, at: now })
      return Math.max(delayAfter(count, FREE_FAILURES), delayAfter(countOverall(now), FREE_FAILURES_OVERALL))
    },
    forget: (address: string) => void failures.delete(address),
  }
}
