/** Checks token, rate and origin of a request (section 5), and answers those that are denied. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../contract/handlers.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { ApprovalLimit } from '../kernel/caller.ts'
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

/** The refusal, and how long to wait before it is sent. */
export interface Denied {
  readonly refusal: Refusal
  readonly delayMs?: number
}

const TOO_MANY: Readonly<Record<LimitedKind, string>> = {
  request: 'Too many requests',
  write: 'Too many writes',
  new: 'Too many new events or approvals',
}

type Result = Denied | undefined

export interface Authorize {
  /** Who sends this, and whether they may send it now. `later`: the operation is not known yet, and checked when it is. */
  readonly checkAccess: (request: FastifyRequest, operation?: OperationId | 'later') => Result | Promise<Result>
  /** Whether an authenticated caller may run an operation now; undefined: a request that runs none. */
  readonly checkOperation: (request: FastifyRequest, operation: OperationId | undefined) => Result
}

/** Checks the token first, then the rate, then for a cookie the origin. Synchronous unless the cookie holds a session. */
export function authorize(deps: HttpDeps, delay: ReturnType<typeof failureDelay>, limits: RateLimits): Authorize {
  // A separate map, so that many addresses cannot evict authenticated callers.
  const addressLimits = rateLimits(deps.rateLimitPerMinute, deps.clock)

  function checkOperation(request: FastifyRequest, operation: OperationId | undefined): Result {
    // The emergency stop is never rate-limited.
    if (operation === 'pullEmergencyStop') return undefined
    const kinds = limitedKinds(operation)
    for (const kind of kinds) {
      const refusal = rateRefusal(limits, kind, request.caller)
      if (refusal) return { refusal }
    }
    for (const kind of kinds) limits.charge(kind, request.caller)
    return undefined
  }

  function check(request: FastifyRequest, operation: OperationId | 'later' | undefined): Result {
    const { authMethod } = request
    if (!authMethod) {
      const refusal = rateRefusal(addressLimits, 'request', request.ip)
      if (refusal) return { refusal }
      addressLimits.charge('request', request.ip)
      return { ...refuse('unauthorized', 'A valid operator token is required'), delayMs: delay.nextMs(request.ip) }
    }
    // All callers with the token share one limit. The console has its own, so that a program that uses up the token's
    // limit cannot lock the owner out.
    request.caller = authMethod === 'session' ? 'console' : 'token'
    const tooMany = operation === 'later' ? undefined : checkOperation(request, operation)
    if (tooMany) return tooMany
    delay.forget(request.ip)
    const isForged =
      authMethod !== 'bearer' && !isRead(request.method) && isCrossOrigin(request.headers, deps.publicUrl)
    return isForged ? refuse('forbidden', 'Writes with the cookie are only allowed from this site') : undefined
  }

  const checkAccess: Authorize['checkAccess'] = (request, operation) => {
    request.authMethod = deps.auth.authenticate(request.headers)
    const session = request.authMethod ? undefined : sessionValue(request.headers)
    if (session === undefined) return check(request, operation)
    return deps.sessions.find(session).then((found) => {
      request.session = found
      if (found !== undefined) request.authMethod = 'session'
      return check(request, operation)
    })
  }
  return { checkAccess, checkOperation }
}

function limitedKinds(operation: OperationId | undefined): readonly LimitedKind[] {
  const write = operation && (OPERATIONS[operation] as Operation).write
  if (!write) return ['request']
  return write.limit === undefined ? ['request', 'write'] : ['request', 'write', write.limit]
}

function rateRefusal(limits: RateLimits, kind: LimitedKind, caller: string): Refusal | undefined {
  const wait = limits.waitSeconds(kind, caller)
  return wait > 0 ? refuse('rate_limited', TOO_MANY[kind], undefined, { retryAfter: wait }).refusal : undefined
}

/** Whether a request creates an approval is known only when it does, so the limit is checked and charged there. */
export const approvalLimit = (limits: RateLimits, caller: string): ApprovalLimit => ({
  refusal: () => rateRefusal(limits, 'new', caller),
  charge: () => limits.charge('new', caller),
})

/** Only when there is no Authorization header: that one decides alone, valid or not. */
export function sessionValue({ authorization, cookie }: Credentials): string | undefined {
  const value = authorization === undefined ? cookieValue(cookie, COOKIE) : undefined
  return value !== undefined && isSessionValue(value) ? value : undefined
}

export function deny(reply: FastifyReply, { refusal, delayMs = 0 }: Denied): void {
  if (delayMs === 0) void sendReply(reply, errorReply(refusal))
  else void sleep(delayMs).then(() => sendReply(reply, errorReply(refusal)))
}
