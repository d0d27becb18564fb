/** What everything at the door stands on, and what a request carries through it. */
import type { GuardExemptions, Handlers, OperationId, RefusalRecorders } from '../contract/handlers.ts'
import type { Guard } from '../contract/operation.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Refusal } from '../kernel/outcome.ts'
import type { Authenticator, Proof } from './auth.ts'
import type { ConnectionLimits } from './connections.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { Sessions } from './sessions.ts'

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
  readonly rateLimitPerMinute: number
  readonly trustedProxy: readonly string[]
  /** In place of the usual ones. */
  readonly connectionLimits?: Partial<ConnectionLimits>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Readable without the token. */
    open?: boolean
    operation?: OperationId
  }
  interface FastifyInstance {
    sessions: Sessions
  }
  interface FastifyRequest {
    raw_body: Buffer | undefined
    proof: Proof | undefined
    /** The session of the console that the cookie belongs to. */
    session: string | undefined
    /** Whose allowance it draws on: a key, or an address. */
    caller: string
    /** The operation, or the path of a page, as logs and metrics call it. */
    route_name: string
  }
}
