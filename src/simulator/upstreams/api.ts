/** An upstream's API as the server uses it: its routes, its handler and its failure format. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Fault, Upstream } from './faults.ts'

export interface ApiRequest {
  readonly route: string
  readonly method: string
  readonly path: string
  /** Path with its query, as sent: part of the signed text. */
  readonly url: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly rawBody: string
  /** Parsed; undefined where it was empty or not JSON. */
  readonly body: unknown
  /** An unknown device answers with another machine's products. */
  readonly defaultList?: boolean
}

export interface Api {
  readonly upstream: Upstream
  /** The documented route of a call, with parameter names; undefined when there is none. */
  routeOf(method: string, path: string): string | undefined
  handle(request: ApiRequest): unknown
  /** A documented failure in this upstream's envelope. */
  failure(fault: Pick<Fault, 'code' | 'text' | 'retryAfter'>): unknown
}
