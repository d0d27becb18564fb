/** Plain calls to a running simulator as documented, for tests without an adapter. */
import { createHmac } from 'node:crypto'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { signedText } from './acme-supply-api.ts'
import type { Simulator } from '../start.ts'

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON, or undefined. */
  readonly body: unknown
}

export interface Calls {
  supply(method: 'GET' | 'POST', path: string, body?: unknown, signing?: Signing): Promise<Called>
  machine(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Called>
  /** A token of its own, for tests of tokens. */
  token(): Promise<string>
}

/** What to make wrong in a request's signature. */
export interface Signing {
  readonly appKey?: string
  readonly appSecret?: string
  readonly skewSeconds?: number
  readonly signedBody?: string
}

export function callsTo(
  sim: Simulator,
  clock: Clock,
  signal: () => AbortSignal = () => AbortSignal.timeout(25_000),
): Calls {
  let token: string | undefined

  const called = async (url: string, init: RequestInit): Promise<Called> => {
    const response = await fetch(url, { ...init, signal: signal() })
    const text = await response.text()
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      body = undefined
    }
    return { status: response.status, headers: response.headers, text, body }
  }

  const freshToken = async (): Promise<string> => {
    const { text } = await called(`${sim.machineUrl}/api/token`, { method: 'POST', body: JSON.stringify(sim.machine) })
    return /"token":"([^"]+)"/.exec(text)?.[1] ?? ''
  }

  return {
    supply(method, path, body, signing = {}) {
      const { appKey = sim.supply.appKey, appSecret = sim.supply.appSecret, skewSeconds = 0 } = signing
      const timestamp = String(Math.floor(clock.now() / SECOND) + skewSeconds)
      const sent = body === undefined ? '' : JSON.stringify(body)
      const sign = createHmac('sha256', appSecret)
        .update(signedText(method, path, timestamp, signing.signedBody ?? sent))
        .digest('hex')
      return called(sim.supplyUrl + path, {
        method,
        headers: { 'X-App-Key': appKey, 'X-Timestamp': timestamp, 'X-Sign': sign },
        ...(body === undefined ? {} : { body: sent }),
      })
    },
    async machine(method, path, body) {
      token ??= await freshToken()
      return called(sim.machineUrl + path, {
        method,
        headers: { 'Access-Token': token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    },
    token: freshToken,
  }
}
