/**
 * JSON-RPC messages of the Model Context Protocol, in both of its eras: with a handshake (`legacy`) and, since 2026-07-28,
 * with the version in every request (`modern`). Pure: bytes in, a request or an error out.
 */
import { decodeHeader, META_PREFIX, nameInHeader, VERSION_META } from '../../contract/mcp-headers.ts'
import { parseJson } from '../parse.ts'

export const MODERN_VERSION = '2026-07-28'
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']
export const LATEST_LEGACY = '2025-11-25'

/** JSON-RPC's codes, and those of the protocol. */
export const CODE = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
  headerMismatch: -32020,
  version: -32022,
} as const

export type Id = string | number
export type Era = 'legacy' | 'modern'
export type Params = Readonly<Record<string, unknown>>

export interface RpcError {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcRequest {
  readonly id: Id
  readonly method: string
  readonly params: Params
  readonly era: Era
}

export type Parsed =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  | { readonly kind: 'notification' }
  | { readonly kind: 'error'; readonly id?: Id; readonly error: RpcError }

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

const badRequest = (message: string): RpcError => ({ status: 400, code: CODE.request, message })

const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function modernProblem(method: string, params: Params, meta: Params, headers: Headers): RpcError | undefined {
  const version = meta[VERSION_META]
  const stated = headerOf(headers, 'mcp-protocol-version')
  const mismatch = (name: string): RpcError => ({
    status: 400,
    code: CODE.headerMismatch,
    message: `The header ${name} is missing or does not match the message`,
  })
  if (stated !== version) return mismatch('MCP-Protocol-Version')
  if (version !== MODERN_VERSION)
    return {
      status: 400,
      code: CODE.version,
      message: 'This protocol version is not supported',
      data: { supported: [MODERN_VERSION, ...LEGACY_VERSIONS], requested: version },
    }
  if (headerOf(headers, 'mcp-method') !== method) return mismatch('Mcp-Method')
  const name = nameInHeader(method, params)
  if (name !== undefined) {
    const header = headerOf(headers, 'mcp-name')
    if (header === undefined || decodeHeader(header) !== name) return mismatch('Mcp-Name')
  }
  if (!isObject(meta[`${META_PREFIX}clientCapabilities`]))
    return { status: 400, code: CODE.params, message: `_meta["${META_PREFIX}clientCapabilities"] is required` }
  return undefined
}

function legacyProblem(headers: Headers): RpcError | undefined {
  const version = headerOf(headers, 'mcp-protocol-version')
  if (version === undefined || LEGACY_VERSIONS.includes(version)) return undefined
  return version === MODERN_VERSION
    ? { status: 400, code: CODE.params, message: `_meta["${VERSION_META}"] is required` }
    : badRequest(`MCP-Protocol-Version must be one of ${LEGACY_VERSIONS.join(', ')}`)
}

export function parseMessage(raw: Buffer, headers: Headers): Parsed {
  const json = parseJson(raw)
  if (!json.ok) return { kind: 'error', error: { status: 400, code: CODE.parse, message: 'Not valid JSON' } }
  const message = json.value
  if (!isObject(message))
    return { kind: 'error', error: badRequest('One JSON-RPC message per request; batches are not accepted') }
  const { id, method, params = {} } = message
  const fail = (error: RpcError): Parsed => ({ kind: 'error', ...(isId(id) ? { id } : {}), error })
  if (message['jsonrpc'] !== '2.0' || typeof method !== 'string') return fail(badRequest('Not a JSON-RPC 2.0 request'))
  if (!isObject(params)) return fail(badRequest('params must be an object'))
  if (!Object.hasOwn(message, 'id')) return { kind: 'notification' }
  if (!isId(id)) return fail(badRequest('id must be a string or a number'))
  const meta = params['_meta']
  const isModern = isObject(meta) && Object.hasOwn(meta, VERSION_META)
  const problem = isModern ? modernProblem(method, params, meta, headers) : legacyProblem(headers)
  if (problem) return fail(problem)
  return { kind: 'request', request: { id, method, params, era: isModern ? 'modern' : 'legacy' } }
}

/** The id of a message that is not served, so that its sender can match the error. */
export function readId(raw: Buffer): Id | undefined {
  const json = parseJson(raw)
  const id = json.ok && isObject(json.value) ? json.value['id'] : undefined
  return isId(id) ? id : undefined
}

/** Never `"id": null`: some clients compare ids before they read the error. */
export const errorText = (id: Id | undefined, { code, message, data }: RpcError): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  })
