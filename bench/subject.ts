/** Starts the service for a benchmark and talks to it. */
import { FLAGS } from '../scripts/serving.mjs'
import type { Upstreams } from '../src/vendors/deployment.ts'
import { startSubject } from './harness.ts'
import type { Subject } from './harness.ts'

export interface ServiceBench {
  /** Number of products of the supplier in memory. */
  readonly goods?: number
  readonly machines?: number
  /** Default: a temporary file. */
  readonly databaseUrl?: string
  /** Replaces the upstreams in memory. */
  readonly upstreams?: Upstreams
}

export const TOKEN = 'bench-token-0123456789'
export const BEARER = { authorization: `Bearer ${TOKEN}` }
export const SPENDING_LIMIT_FEN = 1_000_000_000

/** `PROFILE=folder npm run bench -- money` writes a CPU profile of each service into the folder. */
const profiling = (folder = process.env['PROFILE']): readonly string[] =>
  folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []

/** The same V8 settings as `npm start`. */
export const startService = (argument: ServiceBench): Promise<Subject> =>
  startSubject(new URL('./service.ts', import.meta.url), argument, [...FLAGS, ...profiling()])

/** One route of the reference server. */
export interface BareRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly status: number
  readonly answer: unknown
}

export const startBare = (...routes: readonly BareRoute[]): Promise<Subject> =>
  startSubject(new URL('./bare.ts', import.meta.url), routes)
