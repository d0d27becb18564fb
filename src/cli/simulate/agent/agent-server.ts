/**
 * The address that an agent gets: MCP and what is open to every agent, nothing else. So an agent runs the route through
 * tools only, and every call it makes is seen here.
 */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { MCP_PATH } from '../../../contract/version.ts'
import { type ToolAnswer, type ToolCall, toolCallOf } from './calls.ts'

const MCP_PATHS = [MCP_PATH, `${MCP_PATH}/readonly`]
const OPEN_PATH = /^\/(?:llms\.txt|\.well-known\/(?:ucp|agent-skills\/[\w./-]+))$/
/** Belong to one connection, or are computed from the body. */
const HOP_HEADERS = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive'])

export async function openAgentServer() {
  const calls: ToolCall[] = []
  let service: typeof fetch | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const isMcp = MCP_PATHS.includes(url)
    if (!isMcp && !(method === 'GET' && OPEN_PATH.test(url))) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('An agent of a simulation has the MCP tools only\n')
      return
    }
    const body = await text(request)
    if (!service) {
      response.writeHead(503).end()
      return
    }
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !HOP_HEADERS.has(name) ? [[name, value] as const] : [],
    )
    const reply = await service(url, {
      method,
      headers: Object.fromEntries(sent),
      ...(body === '' ? {} : { body }),
    })
    const replied = await reply.text()
    if (isMcp) recordCall(calls, body, replied)
    response.writeHead(reply.status, [...reply.headers].filter(([name]) => !HOP_HEADERS.has(name)).flat()).end(replied)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls: calls as readonly ToolCall[],
    /** Until then requests are answered with 503. */
    connect: (to: typeof fetch) => void (service = to),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function recordCall(calls: ToolCall[], request: string, reply: string): void {
  try {
    const { method, params } = JSON.parse(request) as { readonly method?: string; readonly params?: { name?: string } }
    if (method !== 'tools/call') return
    calls.push(toolCallOf(params?.name ?? '', JSON.parse(reply) as ToolAnswer))
  } catch {
    // Not a message: the service said so already.
  }
}
