/** Checks token or key, rate, origin and role of a request, and answers those that are denied. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../../contract/handlers.ts'
import type { ActiveKey } from '../../rules/people/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { ApprovalLimit } from '../../kernel/caller.ts'
import { type Refusal, refuse } from '../../kernel/outcome.ts'
import { type Identity, isTokenHolder, TOKEN_HOLDER } from '../../kernel/person.ts'
import { errorReply } from '../response.ts'
import {
  type AuthMethod,
  type Credentials,
  type failureDelay,
  type Denied,
  COOKIE,
  cookieValue,
  isCrossOrigin,
  presentedSecret,
} from './auth.ts'
import type { HttpDeps } from '../deps.ts'
import { type LimitedKind, type RateLimits, rateLimits } from './rate-limit.ts'
import { sendReply } from '../send.ts'
import { isSessionValue } from './sessions.ts'

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const TOO_MANY: Readonly<Record<LimitedKind, string>> = {
  request: 'Too many requests',
  write: 'Too many writes',
  new: 'Too many new events or approvals',
}

type Result = Denied | undefined

/** `later`: the operation is not known yet, and checked when it is. */
type Requested = OperationId | 'later' | undefined

export interface Authorize {
  /** Who sends this, and whether they may send it now. */
  readonly checkAccess: (request: FastifyRequest, operation?: Requested) => Result | Promise<Result>
  /** Whether an authenticated caller may run an operation now; undefined: a request that runs none. */
  readonly checkOperation: (request: FastifyRequest, operation: OperationId | undefined) => Result
  /** Whether the role of an authenticated caller allows an operation. */
  readonly mayCall: (request: FastifyRequest, operation: OperationId) => boolean
  /** Whether an address may try once more: for requests without credentials, and for those that present some to sign in. */
  readonly checkAddress: (request: FastifyRequest) => Result
}

type RoleRow = Pick<Operation, 'roles' | 'tokenUntilOwner'>

/**
 * Why this caller may not call this operation; undefined when it may. `isSeparated`: an owner key was created, so that the
 * operator token no longer decides what it asked for itself.
 */
export function roleRefusal(
  { roles, tokenUntilOwner }: RoleRow,
  caller: Identity,
  isSeparated: boolean,
): Refusal | undefined {
  if (roles === 'anyone' || roles.includes(caller.role)) return undefined
  if (tokenUntilOwner && isTokenHolder(caller) && !isSeparated) return undefined
  const who = isTokenHolder(caller) ? 'The operator token' : `The role "${caller.role}"`
  return refuse('forbidden', `${who} may not do this. Allowed: ${roles.join(', ')}`).refusal
}

/**
 * Checks token or key first, then the rate, then for a cookie the origin, then the role. Synchronous unless the cookie
 * holds a session or the keys in memory have to be compared with the database.
 */
export function authorize(deps: HttpDeps, delay: ReturnType<typeof failureDelay>, limits: RateLimits): Authorize {
  // A separate map, so that many addresses cannot evict authenticated callers.
  const addressLimits = rateLimits(deps.rateLimitPerMinute, deps.clock)

  function checkRate(request: FastifyRequest, operation: OperationId | undefined): Result {
    const perMinute = request.key?.rateLimitPerMinute
    // The emergency stop is never rate-limited.
    if (operation === 'pullEmergencyStop') return undefined
    const kinds = limitedKinds(operation)
    for (const kind of kinds) {
      const refusal = rateRefusal(limits, kind, request.caller, perMinute)
      if (refusal) return { refusal }
    }
    for (const kind of kinds) limits.charge(kind, request.caller, perMinute)
    return undefined
  }

  function checkAddress({ ip }: FastifyRequest): Result {
    const refusal = rateRefusal(addressLimits, 'request', ip)
    if (refusal) return { refusal }
    addressLimits.charge('request', ip)
    return undefined
  }

  function checkRole(request: FastifyRequest, operation: OperationId | undefined): Result {
    const row = operation ? OPERATIONS[operation] : request.routeOptions.config.onlyFor
    const refusal = row && roleRefusal(row, request.by ?? TOKEN_HOLDER, deps.people.hasSeparationOfDuties())
    return refusal && { refusal }
  }

  function check(request: FastifyRequest, operation: Requested): Result {
    const { authMethod } = request
    if (!authMethod) {
      const tooMany = checkAddress(request)
      if (tooMany) return tooMany
      return { ...refuse('unauthorized', 'A valid token or key is required'), delayMs: delay.nextMs(request.ip) }
    }
    const { by = TOKEN_HOLDER } = request
    // All callers with the token share one limit, and each key has its own. The console has another one, so that a program
    // that uses up a limit cannot lock its owner out.
    const holder = by.keyId ?? 'token'
    request.caller = authMethod === 'session' ? `console ${holder}` : holder
    const tooMany = operation === 'later' ? undefined : checkRate(request, operation)
    if (tooMany) return tooMany
    delay.forget(request.ip)
    const isForged =
      authMethod !== 'bearer' && !isRead(request.method) && isCrossOrigin(request.headers, deps.publicUrl)
    if (isForged) return refuse('forbidden', 'Writes with the cookie are only allowed from this site')
    return operation === 'later' ? undefined : checkRole(request, operation)
  }

  function admit(request: FastifyRequest, method: AuthMethod, key: ActiveKey | undefined): void {
    request.authMethod = method
    request.key = key
    request.by = key?.identity ?? TOKEN_HOLDER
  }

  /** A named key, as a bearer or in the cookie. */
  function checkKey(request: FastifyRequest, operation: Requested): Result | Promise<Result> {
    const secret = presentedSecret(request.headers)
    const found = secret === undefined ? undefined : deps.people.findKey(secret)
    const method = request.headers.authorization === undefined ? 'cookie' : 'bearer'
    const proceed = (key: ActiveKey | undefined) => {
      if (key) admit(request, method, key)
      return check(request, operation)
    }
    return found instanceof Promise ? found.then(proceed) : proceed(found)
  }

  async function checkSession(request: FastifyRequest, operation: Requested, value: string) {
    const found = await deps.sessions.find(value)
    if (found) {
      request.session = found.hash
      admit(request, 'session', found.key)
    }
    return check(request, operation)
  }

  const checkAccess: Authorize['checkAccess'] = (request, operation) => {
    const method = deps.auth.authenticate(request.headers)
    if (method) {
      admit(request, method, undefined)
      return check(request, operation)
    }
    const session = sessionValue(request.headers)
    return session === undefined ? checkKey(request, operation) : checkSession(request, operation, session)
  }
  return {
    checkAccess,
    checkAddress,
    checkOperation: (request, operation) => checkRate(request, operation) ?? checkRole(request, operation),
    mayCall: (request, operation) => checkRole(request, operation) === undefined,
  }
}

function limitedKinds(operation: OperationId | undefined): readonly LimitedKind[] {
  const write = operation && (OPERATIONS[operation] as Operation).write
  if (!write) return ['request']
  return write.limit === undefined ? ['request', 'write'] : ['request', 'write', write.limit]
}

function rateRefusal(limits: RateLimits, kind: LimitedKind, caller: string, perMinute?: number): Refusal | undefined {
  const wait = limits.waitSeconds(kind, caller, perMinute)
  return wait > 0 ? refuse('rate_limited', TOO_MANY[kind], undefined, { retryAfter: wait }).refusal : undefined
}

/** Whether a request creates an approval is known only when it does, so the limit is checked and charged there. */
export const approvalLimit = (limits: RateLimits, caller: string, perMinute?: number): ApprovalLimit => ({
  refusal: () => rateRefusal(limits, 'new', caller, perMinute),
  charge: () => limits.charge('new', caller, perMinute),
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
