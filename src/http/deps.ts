/** Dependencies of the HTTP layer, and what it adds to Fastify's types. */
import type { GuardExemptions, Handlers, OperationId, RefusalRecorders } from '../contract/handlers.ts'
import type { Guard } from '../contract/operation.ts'
import type { Clock } from '../kernel/clock.ts'
import type { CurrencyCode } from '../kernel/currency.ts'
import type { Log } from '../kernel/log.ts'
import type { Refusal } from '../kernel/outcome.ts'
import type { Authenticator, AuthMethod } from './auth.ts'
import type { ConnectionLimits } from './connections.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { Sessions } from './sessions.ts'
import type { FastifyReply } from 'fastify'

export interface HttpDeps {
  readonly handlers: Handlers
  readonly refusalRecorders: RefusalRecorders
  /** Undefined when the guardrails allow writes now. */
  readonly checkGuard: (guard: Guard) => Promise<Refusal | undefined>
  readonly guardExemptions: GuardExemptions
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly idempotency: Idempotency
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  readonly publicUrl: string
  /** Requests may name no other. */
  readonly currency: CurrencyCode
  readonly rateLimitPerMinute: number
  readonly trustedProxy: readonly string[]
  /** Overrides of the defaults, for tests. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served without the token. */
    public?: boolean
    operation?: OperationId
  }
  interface FastifyInstance {
    sessions: Sessions
    /** Answers a browser at an address that does not exist; set by the console. */
    unknownPage: ((request: FastifyRequest, reply: FastifyReply) => void) | undefined
  }
  interface FastifyRequest {
    raw_body: Buffer | undefined
    /** Undefined: not authenticated. */
    authMethod: AuthMethod | undefined
    /** Hash of the console session that the cookie belongs to. */
    session: string | undefined
    /** The caller whose rate limit applies: `token` or `console`. */
    caller: string
    /** The operation, or the path of a page, in logs and metrics. */
    route_name: string
  }
}
