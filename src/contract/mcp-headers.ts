/** What MCP requests repeat in HTTP headers since 2026-07-28, so that a proxy can route without reading the body. */

/** Of the members of `_meta` that the protocol defines. */
export const META_PREFIX = 'io.modelcontextprotocol/'
export const VERSION_META = `${META_PREFIX}protocolVersion`

/** The member of the body that `Mcp-Name` repeats. */
const NAME_MEMBERS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

export function nameInHeader(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const member = Object.hasOwn(NAME_MEMBERS, method) ? NAME_MEMBERS[method] : undefined
  const value = member === undefined ? undefined : params[member]
  return typeof value === 'string' ? value : undefined
}

const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** A header holds ASCII only; other values are sent encoded. */
export function decodeHeader(value: string): string {
  const encoded = BASE64.exec(value)?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString()
}

export const encodeHeader = (value: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`
