/** Dependencies of the HTTP layer, and what it adds to Fastify's types. */
import type { GuardExemptions, Handlers, OperationId, RefusalRecorders } from '../contract/handlers.ts'
import type { SigningKeys } from '../record/outbox/index.ts'
import type { ActiveKey, KeyDirectory } from '../rules/people/index.ts'
import type { Guard, Operation } from '../contract/operation.ts'
import type { ToolAccess } from '../contract/tools.ts'
import type { Clock } from '../kernel/clock.ts'
import type { CurrencyCode } from '../kernel/currency.ts'
import type { Log } from '../kernel/log.ts'
import type { Refusal } from '../kernel/outcome.ts'
import type { Identity } from '../kernel/person.ts'
import type { Authenticator, AuthMethod, Denied } from './access/auth.ts'
import type { ConnectionLimits } from './connections.ts'
import type { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import type { Sessions } from './access/sessions.ts'
import type { FastifyReply } from 'fastify'

export interface HttpDeps {
  readonly handlers: Handlers
  readonly refusalRecorders: RefusalRecorders
  /** Undefined when the guardrails allow writes now. */
  readonly checkGuard: (guard: Guard) => Promise<Refusal | undefined>
  readonly guardExemptions: GuardExemptions
  readonly auth: Authenticator
  readonly people: KeyDirectory
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
  /** The most that MCP hosts are offered. */
  readonly mcp: ToolAccess
  /** Whether a host without a key hears where to get one. */
  readonly hasOauth: boolean
  readonly signingKeys: SigningKeys
  /** Overrides of the defaults, for tests. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served without the token. */
    public?: boolean
    operation?: OperationId
    /** Takes a form with a file instead of JSON. */
    upload?: boolean
    /** Speaks MCP: refusals are JSON-RPC errors, and the operation is known once the message is read. */
    mcp?: boolean
    /** Who may use a route that is not an operation; without it, every key may. */
    onlyFor?: Pick<Operation, 'roles'>
  }
  interface FastifyInstance {
    sessions: Sessions
    people: KeyDirectory
    /** Answers a browser at an address that does not exist; set by the console. */
    unknownPage: ((request: FastifyRequest, reply: FastifyReply) => void) | undefined
  }
  interface FastifyRequest {
    raw_body: Buffer | undefined
    /** Undefined: not authenticated. */
    authMethod: AuthMethod | undefined
    /** Hash of the console session that the cookie belongs to. */
    session: string | undefined
    /** Whom the credentials prove. */
    by: Identity | undefined
    /** The named key; undefined for the operator token. */
    key: ActiveKey | undefined
    /** The caller whose rate limit applies: the token or a key, over the API or the console. */
    caller: string
    /** The operation, or the path of a page, in logs and metrics. */
    route_name: string
    /** The agent that an MCP message names; the header is read where there is none. */
    agent: string | undefined
    /** Why an MCP request may not run; answered when the id of its message is known. */
    denied: Denied | undefined
    /** The tool and the protocol era of an MCP request, in logs. */
    mcp: { readonly tool?: string; readonly era: 'legacy' | 'modern' } | undefined
  }
}
