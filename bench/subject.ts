/** What a benchmark tells the service it starts, and how it speaks to it. */
import { NODE_FLAGS } from '../scripts/process-flags.mjs'
import type { Upstreams } from '../src/vendors/deployment.ts'
import { startSubject } from './harness.ts'
import type { Subject } from './harness.ts'

export interface ServiceBench {
  /** Of the supplier in memory. */
  readonly goods?: number
  readonly machines?: number
  /** A file of its own, thrown away at the end, unless told. */
  readonly databaseUrl?: string
  /** In place of the upstreams in memory. */
  readonly upstreams?: Upstreams
}

export const TOKEN = 'bench-token-0123456789'
export const BEARER = { authorization: `Bearer ${TOKEN}` }
/** Above it the owner is asked. */
export const SPENDING_LIMIT_FEN = 1_000_000_000

/** `PROFILE=folder npm run bench -- money` leaves a CPU profile of each service there. */
const profiling = (folder = process.env['PROFILE']): readonly string[] =>
  folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []

/** With the flags of the real service. */
export const startService = (argument: ServiceBench): Promise<Subject> =>
  startSubject(new URL('./service.ts', import.meta.url), argument, [...NODE_FLAGS, ...profiling()])

/** One route of the yardstick. */
export interface BareRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly status: number
  readonly answer: unknown
}

export const startBare = (...routes: readonly BareRoute[]): Promise<Subject> =>
  startSubject(new URL('./bare.ts', import.meta.url), routes)
