/** Results as the protocol has them. The newer era adds to each how long it may be kept and who answered. */
import { META_PREFIX } from '../../contract/mcp-headers.ts'
import { PRODUCT_VERSION } from '../../contract/version.ts'
import type { Era, Id } from './protocol.ts'

export const SERVER_INFO = { name: 'vendops', title: 'vendops', version: PRODUCT_VERSION }

/** How long lists and texts may be kept; they change only with the deployment. What a resource reads live may not. */
const TTL_MS = 300_000

export interface McpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | readonly Uint8Array[]
}

export const NO_MEMBERS = {}

/** The JSON of an object without its last brace, so that members can follow. */
const openJson = (result: object): string => JSON.stringify(result).slice(0, -1)

const metaOf = (era: Era, more: object): string => {
  const meta = { ...(era === 'modern' ? { [`${META_PREFIX}serverInfo`]: SERVER_INFO } : {}), ...more }
  return Object.keys(meta).length === 0 ? '' : `,"_meta":${JSON.stringify(meta)}`
}

/** The members that the newer era adds to a result. */
export const completion = (era: Era, more: object = NO_MEMBERS): string =>
  era === 'legacy' && more === NO_MEMBERS
    ? ''
    : `${era === 'modern' ? ',"resultType":"complete"' : ''}${metaOf(era, more)}`
export const ttlHint = (era: Era, ttlMs = TTL_MS): string =>
  era === 'modern' ? `,"ttlMs":${ttlMs},"cacheScope":"private"` : ''

export const reply = (id: Id, result: string): McpReply => ({
  status: 200,
  headers: {},
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
})
export const replyOf = (id: Id, era: Era, result: object): McpReply =>
  reply(id, `${openJson(result)}${completion(era)}}`)
export const ttlReply = (id: Id, era: Era, result: object, ttlMs = TTL_MS): McpReply =>
  reply(id, `${openJson(result)}${ttlHint(era, ttlMs)}${completion(era)}}`)
