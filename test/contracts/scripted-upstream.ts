/**
 * An upstream over real HTTP that behaves until it is told not to. A fault takes the place of the reply, either instead
 * of the work or after it (`acting`): the second is how an order comes to stand although its reply never arrives.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Received {
  readonly method: string
  /** As it stood on the request line, query included. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly retryAfter?: string }
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'text'; readonly text: string | Buffer; readonly type?: string }
  | { readonly kind: 'truncated' | 'unterminated' | 'silent' | 'trickling' | 'dropped' | 'huge' }

export interface FaultPlan {
  readonly fault: Fault
  /** How many requests it meets; for ever when absent. */
  readonly times?: number
  readonly when?: (request: Received) => boolean
  readonly acting?: boolean
}

export interface ScriptedUpstream {
  readonly url: string
  readonly received: Received[]
  fail(plan: FaultPlan): void
  heal(): void
  /** Refuses connections until it is restarted at the same address. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

const GATEWAY_PAGE = '<html><body><h1>Bad Gateway</h1><p>secret-host.internal</p></body></html>'

export const gateway = (status: number, retryAfter?: string): Fault => ({
  kind: 'status',
  status,
  body: GATEWAY_PAGE,
  ...(retryAfter !== undefined && { retryAfter }),
})

/** A correct reply with another status than 200. Without JSON it has no body. */
export class StatusReply {
  readonly status: number
  readonly json: unknown

  constructor(status: number, json?: unknown) {
    this.status = status
    this.json = json
  }
}

/** `answer` does the work and returns the JSON of a correct reply, or a StatusReply. */
export async function scriptedUpstream(answer: (request: Received) => unknown): Promise<ScriptedUpstream> {
  const received: Received[] = []
  let plans: { plan: FaultPlan; left: number }[] = []

  const take = (request: Received): FaultPlan | undefined => {
    const found = plans.find(({ plan, left }) => left > 0 && (plan.when?.(request) ?? true))
    if (found) found.left -= 1
    return found?.plan
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => {})
    incoming.on('end', () => {
      const request: Received = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      received.push(request)
      const plan = take(request)
      const reply = !plan || plan.acting ? answer(request) : undefined
      if (plan) misbehave(plan.fault, outgoing)
      else sendJson(outgoing, reply)
    })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = async () => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  const { port } = address

  return {
    url: `http://127.0.0.1:${port}`,
    received,
    fail: (plan) => void plans.push({ plan, left: plan.times ?? Infinity }),
    heal: () => void (plans = []),
    goAway: stop,
    async comeBack() {
      if (!server.listening) await listen(port)
    },
    close: stop,
  }
}

function sendJson(outgoing: ServerResponse, reply: unknown): void {
  const { status, json } = reply instanceof StatusReply ? reply : new StatusReply(200, reply)
  if (json === undefined) return void outgoing.writeHead(status).end()
  outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  outgoing.end(JSON.stringify(json))
}

function misbehave(fault: Fault, outgoing: ServerResponse): void {
  switch (fault.kind) {
    case 'status':
      outgoing.writeHead(fault.status, {
        'content-type': 'text/html',
        ...(fault.retryAfter !== undefined && { 'retry-after': fault.retryAfter }),
      })
      outgoing.end(fault.body ?? '')
      return
    case 'json':
      return sendJson(outgoing, fault.json)
    case 'text':
      outgoing.writeHead(200, fault.type === undefined ? {} : { 'content-type': fault.type })
      outgoing.end(fault.text)
      return
    case 'truncated':
      outgoing.writeHead(200, { 'content-length': '1000' })
      outgoing.write('{"code":0,"success":true,')
      setTimeout(() => outgoing.destroy(), 5)
      return
    case 'unterminated':
      // Chunked, and the line is cut before the last chunk.
      outgoing.writeHead(200)
      outgoing.write('{"code":0,"msg":"ok","success":true,"data":[],"result":[]}')
      setTimeout(() => outgoing.destroy(), 5)
      return
    case 'silent':
      return
    case 'trickling':
      return trickle(outgoing)
    case 'dropped':
      outgoing.destroy()
      return
    case 'huge':
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      return pour(outgoing)
  }
}

/** A byte now and then, for ever: each phase time-out is satisfied, the whole never ends. */
function trickle(outgoing: ServerResponse): void {
  outgoing.writeHead(200)
  const timer = setInterval(() => outgoing.write(' '), 10)
  outgoing.on('close', () => clearInterval(timer))
}

function pour(outgoing: ServerResponse): void {
  const block = Buffer.alloc(1024 * 1024, ' ')
  const more = () => {
    if (!outgoing.destroyed) outgoing.write(block, () => setImmediate(more))
  }
  more()
}
