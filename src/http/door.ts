/** What everything at the door stands on, and what a request carries through it. */
import type { Handlers, OperationId, RefusalRecorders } from '../contract/handlers.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Authenticator, Proof } from './auth.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'

export interface Door {
  readonly handlers: Handlers
  readonly refusalRecorders: RefusalRecorders
  readonly auth: Authenticator
  readonly idempotency: Idempotency
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  readonly publicUrl: string
  readonly rateLimitPerMinute: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Readable without the token. */
    open?: boolean
    operation?: OperationId
  }
  interface FastifyRequest {
    raw_body: Buffer | undefined
    proof: Proof | undefined
    /** The operation, or the path of a page, as logs and metrics call it. */
    route_name: string
  }
}
