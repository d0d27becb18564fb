/** Plain calls to a running simulator as documented, for tests without an adapter. */
import { createHmac } from 'node:crypto'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { parseJson } from '../../lib/json.ts'
import { signedText } from './acme-supply-api.ts'
import type { Simulator } from '../start.ts'

export type Calls = ReturnType<typeof callsTo>

/** What to make wrong in a request's signature. */
export interface Signing {
  readonly appKey?: string
  readonly appSecret?: string
  readonly skewSeconds?: number
  readonly signedBody?: string
}

export function callsTo(sim: Simulator, clock: Clock, signal = () => AbortSignal.timeout(25_000)) {
  let token: string | undefined

  /** `body`: the text as JSON, or undefined. */
  const called = async (url: string, init: RequestInit) => {
    const response = await fetch(url, { ...init, signal: signal() })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parseJson(text) }
  }

  const freshToken = async (): Promise<string> => {
    const { text } = await called(`${sim.machineUrl}/api/token`, { method: 'POST', body: JSON.stringify(sim.machine) })
    return /"token":"([^"]+)"/.exec(text)?.[1] ?? ''
  }

  return {
    supply(method: 'GET' | 'POST', path: string, body?: unknown, signing: Signing = {}) {
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
    async machine(method: 'GET' | 'POST', path: string, body?: unknown) {
      token ??= await freshToken()
      return called(sim.machineUrl + path, {
        method,
        headers: { 'Access-Token': token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    },
    /** A token of its own, for tests of tokens. */
    token: freshToken,
  }
}
