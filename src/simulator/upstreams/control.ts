/**
 * The simulator's own controls under `/_sim`, for tests and demos in other processes: faults, latency, deliveries. Only
 * for loopback peers that use a loopback host name, so that no web page can reach them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Traffic, json, send } from './acme-server.ts'
import { type Faults, parseFault } from './faults.ts'
import { parseJson } from '../../lib/json.ts'
import { fieldsOf, isText, isWhole } from './parse.ts'
import type { World } from '../world/world.ts'

export interface ControlOptions {
  readonly world: World
  readonly faults: Faults
  readonly traffic: Traffic
  readonly advance: () => void
  setLatency(ms: number): void
}

type Control = (needs: ControlOptions, body: unknown) => unknown

const CONTROLS: Record<string, Control> = {
  'GET /_sim/state': ({ world, faults, traffic }) => ({
    now: world.now(),
    startMs: world.startMs,
    calls: Object.fromEntries(traffic.calls),
    faults: faults.pending(),
  }),
  'POST /_sim/faults': ({ faults }, body) => {
    const list = (Array.isArray(body) ? body : [body]).map(parseFault)
    const known = list.filter((fault) => fault !== undefined)
    if (known.length < list.length) return undefined
    faults.add(...known)
    return { pending: faults.pending().length }
  },
  'DELETE /_sim/faults': ({ faults }) => {
    faults.clear()
    return { pending: 0 }
  },
  'POST /_sim/latency': (needs, body) => {
    const { ms } = fieldsOf(body)
    if (!isWhole(ms, 0, 60_000)) return undefined
    needs.setLatency(ms)
    return { ms }
  },
  'POST /_sim/deliver': ({ world }, body) => {
    const { location, lines } = fieldsOf(body)
    if (!isText(location) || !Array.isArray(lines) || !lines.every(isLoad)) return undefined
    return { loaded: world.deliver(location, lines) }
  },
  'POST /_sim/cancel-order': ({ world }, body) => {
    const { outOrderNo } = fieldsOf(body)
    return isText(outOrderNo) ? { cancelled: world.cancelOrder(outOrderNo) } : undefined
  },
}

export function createControl(needs: ControlOptions) {
  return (request: IncomingMessage, response: ServerResponse, body: string): boolean => {
    const path = request.url ?? '/'
    if (!path.startsWith('/_sim/')) return false
    const control = CONTROLS[`${request.method} ${path}`]
    if (!isLocal(request)) send(response, 403, 'text/plain', 'Only allowed from this host')
    else if (!control) send(response, 404, 'text/plain', 'Not found')
    else {
      needs.advance()
      const answer = control(needs, parseJson(body))
      if (answer === undefined) send(response, 400, 'text/plain', 'Invalid request')
      else json(response, JSON.stringify(answer))
    }
    return true
  }
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

function isLocal(request: IncomingMessage): boolean {
  const isSimpleRequest =
    request.method === 'POST' && !/^application\/json\b/.test(request.headers['content-type'] ?? '')
  const host = (request.headers.host ?? '').replace(/:\d+$/, '')
  const isLocalName = host === '127.0.0.1' || host === 'localhost' || host === '[::1]'
  return LOOPBACK.has(request.socket.remoteAddress ?? '') && isLocalName && !isSimpleRequest
}

const isLoad = (line: unknown): line is { goodsCode: string; quantity: number } => {
  const { goodsCode, quantity } = fieldsOf(line)
  return isText(goodsCode) && isWhole(quantity, 0, 10_000)
}
