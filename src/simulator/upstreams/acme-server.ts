/** One upstream on its own port, because its signatures cover the whole path; applies the requested faults. */
import { createServer } from '../../lib/node-http.ts'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Fault, Faults, Upstream } from './faults.ts'
import { isFields } from '../../lib/objects.ts'
import { parseJson } from '../../lib/json.ts'
import type { Api, ApiRequest } from './api.ts'
import { productPicture } from './picture.ts'

export interface Traffic {
  /** Calls per route as documented. */
  readonly calls: Map<string, number>
  /** The highest number of concurrent calls per upstream. */
  readonly peak: Map<Upstream, number>
}

export interface ServerOptions {
  readonly api: Api
  readonly faults: Faults
  readonly traffic: Traffic
  readonly latencyMs: () => number
  /** Advances the world to the present; called when the upstream handles a request. */
  readonly advance: () => void
  readonly expireTokens: () => void
  /** Answers the simulator's own controls; true when it did. */
  readonly control: (request: IncomingMessage, response: ServerResponse, body: string) => boolean
}

const MAX_BODY = 1024 * 1024
const GATEWAY_PAGE = '<html><head><title>Bad gateway</title></head><body><h1>gateway</h1></body></html>'
const HELD_MS = 120_000

export function createAcmeServer(needs: ServerOptions): Server {
  const { api, traffic } = needs
  let concurrent = 0
  return createServer((request, response) => {
    response.on('error', () => undefined)
    concurrent++
    traffic.peak.set(api.upstream, Math.max(traffic.peak.get(api.upstream) ?? 0, concurrent))
    response.on('close', () => concurrent--)
    handleRequest(needs, request, response).catch(() => {
      if (!response.headersSent) send(response, 500, 'text/plain', 'simulator error')
      else response.destroy()
    })
  })
}

async function handleRequest(needs: ServerOptions, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const rawBody = await readBody(incoming)
  if (rawBody === undefined) return send(response, 413, 'text/plain', 'too large')
  if (needs.control(incoming, response, rawBody)) return
  const [, picture] = /^\/pictures\/([\w-]+)\.png$/.exec(incoming.url ?? '') ?? []
  if (picture !== undefined)
    return void response.writeHead(200, { 'Content-Type': 'image/png' }).end(productPicture(picture))
  const request = parseRequest(needs.api, incoming, rawBody)
  if (!request) return send(response, 404, 'text/html', '<html><body>404</body></html>')
  needs.traffic.calls.set(request.route, (needs.traffic.calls.get(request.route) ?? 0) + 1)
  const fault = needs.faults.take({ upstream: needs.api.upstream, method: request.method, url: request.url })
  await pause(needs.latencyMs())
  const work = (changed: Partial<ApiRequest> = {}): string => {
    needs.advance()
    return JSON.stringify(needs.api.handle({ ...request, ...changed }))
  }
  if (!fault) return json(response, work())
  await applyFault(needs, fault, request, response, work)
}

async function applyFault(
  needs: ServerOptions,
  fault: Fault,
  request: ApiRequest,
  response: ServerResponse,
  work: (changed?: Partial<ApiRequest>) => string,
): Promise<void> {
  switch (fault.do) {
    case 'gateway 429':
    case 'gateway 502':
    case 'gateway 503':
    case 'gateway 504':
      if (fault.after) work()
      if (fault.retryAfter !== undefined) response.setHeader('Retry-After', String(fault.retryAfter))
      // 504 has an empty body; the others send an HTML page.
      return send(response, Number(fault.do.slice(-3)), 'text/html', fault.do === 'gateway 504' ? '' : GATEWAY_PAGE)
    case 'timeout':
      if (fault.after) work()
      await pauseUntilClosed(response, fault.ms ?? HELD_MS)
      return void response.destroy()
    case 'drop before':
      return void response.destroy()
    case 'drop after':
      work()
      return void response.destroy()
    case 'html':
      work()
      return send(response, 200, 'text/html', GATEWAY_PAGE)
    case 'truncate': {
      const body = Buffer.from(work())
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
      return void response.write(body.subarray(0, body.length / 2), () => response.destroy())
    }
    case 'broken json': {
      const body = work()
      return json(response, body.slice(0, body.length / 2))
    }
    case 'wrong json':
      work()
      return json(response, '{"hello":"world"}')
    case 'huge':
      work()
      return flood(response)
    case 'code':
      if (fault.after) work()
      return json(response, JSON.stringify(needs.api.failure(fault)))
    case 'offline device':
      return json(response, JSON.stringify(needs.api.failure({ code: 'DEVICE_OFFLINE', text: '设备离线' })))
    case 'reply':
      if (fault.after) work()
      return send(response, fault.status ?? 200, 'application/json', fault.body ?? '')
    case 'slow': {
      if (!fault.after) await pause(fault.ms ?? 1000)
      const body = work()
      if (fault.after) await pause(fault.ms ?? 1000)
      return json(response, body)
    }
    case 'partial':
      return json(response, work({ body: firstHalf(request.body) }))
    case 'expire token':
      needs.expireTokens()
      return json(response, work())
    case 'default list':
      return json(response, work({ defaultList: true }))
  }
}

const halfOf = <T>(list: readonly T[]): readonly T[] => list.slice(0, Math.floor(list.length / 2))

function firstHalf(body: unknown): unknown {
  if (Array.isArray(body)) return halfOf(body)
  if (isFields(body) && Array.isArray(body['items'])) return { ...body, items: halfOf(body['items']) }
  return body
}

/** Writes 64 MB: more than any reader should accept. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  let left = 1024
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left--
      if (response.write(chunk)) continue
      response.once('drain', more)
      return
    }
    response.end()
  }
  more()
}

function parseRequest(api: Api, { method = 'GET', url = '/', headers }: IncomingMessage, rawBody: string) {
  const [path = '/'] = url.split('?', 1)
  const route = api.routeOf(method, path)
  if (route === undefined || !isDecodable(path)) return undefined
  const query = new URLSearchParams(url.slice(path.length))
  return { route, method, path, url, query, headers, rawBody, body: parseJson(rawBody) }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const json = (response: ServerResponse, body: string): void =>
  send(response, 200, 'application/json; charset=utf-8', body)

export function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

const pause = (ms: number): Promise<void> | undefined =>
  ms > 0 ? new Promise((resolve) => void setTimeout(resolve, ms)) : undefined

const pauseUntilClosed = (response: ServerResponse, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
