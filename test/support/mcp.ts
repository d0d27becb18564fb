/** Sends MCP messages to a service that runs without a socket. */
import type { Tool } from '../../src/contract/tools.ts'
import type { Json, Service } from './service.ts'
import { TOKEN } from './service.ts'

export const MODERN = '2026-07-28'

export interface Posted {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** Undefined: an empty reply. */
  readonly body: Json
  readonly text: string
}

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
  /** Null: without any credentials. */
  readonly token?: string | null
}

export async function post(
  service: Pick<Service, 'server'>,
  message: unknown,
  { headers = {}, url = '/ucp/mcp', token = TOKEN }: PostOptions = {},
): Promise<Posted> {
  const answer = await service.server.inject({
    method: 'POST',
    url,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...headers,
    },
    payload: typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
  })
  await new Promise((resolve) => setImmediate(resolve))
  const text = answer.body
  return { status: answer.statusCode, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}

export const request = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

export const callMessage = (name: string, args: object = {}, id: unknown = 1) =>
  request('tools/call', { name, arguments: args }, id)

export const callTool = (
  service: Pick<Service, 'server'>,
  name: string,
  args: object = {},
  options: PostOptions = {},
): Promise<Posted> => post(service, callMessage(name, args), options)

/** The same in the newer era, with the headers that belong to it. */
export function modern(method: string, params: Readonly<Record<string, unknown>> = {}, version = MODERN) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const name = params['name'] ?? params['uri']
  return {
    message: request(method, { ...params, _meta: meta }),
    headers: {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  }
}

/** Path, query and body of an operation as the arguments of its tool. */
export interface OperationCall {
  readonly params?: object
  readonly query?: object
  readonly body?: unknown
}

export const toArguments = ({ bodyKey, operation }: Tool, { params, query, body }: OperationCall): object => ({
  ...params,
  ...query,
  ...(operation.body === undefined ? {} : bodyKey ? { [bodyKey]: body } : (body as object | undefined)),
})

/** The same call over REST. */
export function toRest({ operation }: Tool, { params = {}, query = {}, body }: OperationCall) {
  const path = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path,
  )
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  return { method: operation.method, path: search === '' ? path : `${path}?${search}`, body }
}
