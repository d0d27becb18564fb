/** Who may go on (section 5), and how the others are turned away. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../contract/handlers.ts'
import { isWrite } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { Refusal } from '../kernel/outcome.ts'
import { refuse } from '../kernel/outcome.ts'
import { errorReply } from './response.ts'
import { COOKIE, cookieValue, isCrossOrigin } from './auth.ts'
import type { Credentials, failureDelay } from './auth.ts'
import type { HttpDeps } from './deps.ts'
import { rateLimits } from './rate-limit.ts'
import type { LimitedKind, RateLimits } from './rate-limit.ts'
import { sendReply } from './send.ts'
import { isSessionValue } from './sessions.ts'

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

/** Why a request may not go on, and how long its caller waits to hear so. */
export interface Denied {
  readonly refusal: Refusal
  readonly waitMs?: number
}

/** Operations that may open a decision; whether one did is known only afterwards. */
export const OPENS_DECISIONS: ReadonlySet<OperationId> = new Set([
  'createCheckout',
  'updateCheckout',
  'changePrices',
  'createRun',
])

const TOO_MANY: Readonly<Record<LimitedKind, string>> = {
  request: 'too many requests',
  write: 'too many writes',
  new: 'too many new events or decisions',
}

type Verdict = Denied | undefined

/** Who may go on (section 5): the token first; then the pace; then, for a browser's cookie, the page it comes from. */
export function authorize(
  deps: HttpDeps,
  delay: ReturnType<typeof failureDelay>,
  limits: RateLimits,
): (request: FastifyRequest, operation?: OperationId) => Verdict | Promise<Verdict> {
  // Apart, so that no number of addresses can push the callers with a key out of the map.
  const addressLimits = rateLimits(deps.rateLimitPerMinute, deps.clock)

  function paceRefusal(request: FastifyRequest, operation: OperationId | undefined): Verdict {
    // Whoever wants to stop everything is never told to come back later.
    if (operation === 'pullEmergencyStop') return undefined
    const kinds = kindsOf(operation)
    for (const kind of kinds) {
      const wait = limits.waitSeconds(kind, request.caller)
      if (wait > 0) return refuse('rate_limited', TOO_MANY[kind], undefined, { retryAfter: wait })
    }
    // A decision is charged for once it was opened.
    for (const kind of kinds) if (kind !== 'new' || operation === 'appendEvent') limits.charge(kind, request.caller)
    return undefined
  }

  function judge(request: FastifyRequest, operation: OperationId | undefined): Verdict {
    const { proof } = request
    if (!proof) {
      const wait = addressLimits.waitSeconds('request', request.ip)
      if (wait > 0) return refuse('rate_limited', TOO_MANY.request, undefined, { retryAfter: wait })
      addressLimits.charge('request', request.ip)
      return { ...refuse('unauthorized', 'a valid operator token is required'), waitMs: delay.next(request.ip) }
    }
    // There is one token, so whoever bears it draws on one allowance, however the header is written. The console has
    // its own: a program that uses up the token's must not keep the owner out.
    request.caller = proof === 'session' ? 'console' : 'token'
    const tooFast = paceRefusal(request, operation)
    if (tooFast) return tooFast
    delay.forget(request.ip)
    // A browser names the page it comes from on every write; a caller that names none is no browser.
    const foreign = proof !== 'bearer' && !isRead(request.method) && isCrossOrigin(request.headers, deps.publicUrl)
    return foreign ? refuse('forbidden', 'a write with the cookie must come from our own pages') : undefined
  }

  return (request, operation) => {
    request.proof = deps.auth.prove(request.headers)
    const session = request.proof ? undefined : sessionValue(request.headers)
    if (session === undefined) return judge(request, operation)
    return deps.sessions.find(session).then((found) => {
      request.session = found
      if (found !== undefined) request.proof = 'session'
      return judge(request, operation)
    })
  }
}

function kindsOf(operation: OperationId | undefined): readonly LimitedKind[] {
  if (operation === undefined || !isWrite(OPERATIONS[operation])) return ['request']
  return operation === 'appendEvent' || OPENS_DECISIONS.has(operation)
    ? ['request', 'write', 'new']
    : ['request', 'write']
}

/** Only where no other credentials came: those stand for themselves, right or wrong. */
export function sessionValue({ authorization, cookie }: Credentials): string | undefined {
  const value = authorization === undefined ? cookieValue(cookie, COOKIE) : undefined
  return value !== undefined && isSessionValue(value) ? value : undefined
}

export function deny(reply: FastifyReply, { refusal, waitMs = 0 }: Denied): void {
  if (waitMs === 0) void sendReply(reply, errorReply(refusal))
  else void sleep(waitMs).then(() => sendReply(reply, errorReply(refusal)))
}
