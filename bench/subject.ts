/** Starts the service, or a bare Fastify, as the subject of a benchmark. */
import { NODE_FLAGS } from '../scripts/process-flags.mjs'
import type { AcmeUpstreams } from '../src/vendors/connections/connection.ts'
import { startSubject } from './harness.ts'
import type { Subject } from './harness.ts'

export interface ServiceBench {
  /** Products of the in-memory supplier. */
  readonly products?: number
  readonly machines?: number
  /** Default: a temporary file. */
  readonly databaseUrl?: string
  /** Instead of the in-memory upstreams. */
  readonly upstreams?: AcmeUpstreams
}

export const TOKEN = 'bench-token-0123456789'
export const BEARER = { authorization: `Bearer ${TOKEN}` }
/** Purchases above it need approval. */
export const SPENDING_LIMIT_FEN = 1_000_000_000

/** `PROFILE=folder npm run bench -- money` leaves a CPU profile of each service there. */
const profiling = (folder = process.env['PROFILE']): readonly string[] =>
  folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []

/** With the flags of the real service. */
export const startService = (argument: ServiceBench): Promise<Subject> =>
  startSubject(new URL('./service.ts', import.meta.url), argument, [...NODE_FLAGS, ...profiling()])

/** One route of the bare server. */
export interface BareRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly status: number
  readonly answer: unknown
}

export const startBare = (...routes: readonly BareRoute[]): Promise<Subject> =>
  startSubject(new URL('./bare.ts', import.meta.url), routes)
