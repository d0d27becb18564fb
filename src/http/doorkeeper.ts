/** Who may go on (section 5), and how the others are turned away. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../kernel/outcome.ts'
import { refuse } from '../kernel/outcome.ts'
import { refusalAnswer } from './answer.ts'
import { isForeign } from './auth.ts'
import type { failureDelay } from './auth.ts'
import type { Door } from './door.ts'
import { rateLimit } from './rate-limit.ts'
import { send } from './send.ts'

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

/** Why a request may not go on, and how long its caller waits to hear so. */
export interface Turned {
  readonly refusal: Refusal
  readonly waitMs?: number
}

/** Who may go on (section 5): the token first; then the pace; then, for a browser's cookie, the page it comes from. */
export function doorkeeper(
  door: Door,
  delay: ReturnType<typeof failureDelay>,
): (request: FastifyRequest) => Turned | undefined {
  const limit = rateLimit(door.rateLimitPerMinute, door.clock)
  return (request) => {
    request.proof = door.auth.prove(request.headers)
    // There is one token, so whoever bears it draws on one allowance, however the header is written.
    const wait = limit.take(request.proof ? 'token' : request.ip)
    if (wait > 0) return refuse('rate_limited', 'too many requests', undefined, { retryAfter: wait })
    if (!request.proof)
      return { ...refuse('unauthorized', 'a valid operator token is required'), waitMs: delay.next(request.ip) }
    delay.forget(request.ip)
    // A browser names the page it comes from on every write; a caller that names none is no browser.
    const foreign = request.proof === 'cookie' && !isRead(request.method) && isForeign(request.headers, door.publicUrl)
    return foreign ? refuse('forbidden', 'a write with the cookie must come from our own pages') : undefined
  }
}

export function turnAway(reply: FastifyReply, { refusal, waitMs = 0 }: Turned): void {
  if (waitMs === 0) void send(reply, refusalAnswer(refusal))
  else void sleep(waitMs).then(() => send(reply, refusalAnswer(refusal)))
}
