/** What the server needs to know of an upstream's API: its routes, its work, and how it says no. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Fault, Upstream } from './faults.ts'

export interface ApiRequest {
  readonly route: string
  readonly method: string
  readonly path: string
  /** Path with its query, as sent: what a sign is made over. */
  readonly url: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly rawBody: string
  /** Parsed, or undefined where it was empty or no JSON. */
  readonly body: unknown
  /** This once, an unknown device has somebody's goods. */
  readonly defaultList?: boolean
}

export interface Api {
  readonly upstream: Upstream
  /** The documented path a call goes to, with its parameters by name; undefined when there is none. */
  routeOf(method: string, path: string): string | undefined
  handle(request: ApiRequest): unknown
  /** A documented failure in this upstream's envelope. */
  failure(fault: Pick<Fault, 'code' | 'text' | 'retryAfter'>): unknown
}
