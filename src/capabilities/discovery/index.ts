/** Section 4.1: what this deployment can do, for platforms (cacheable) and for callers with the token. */
import type { HandlersOf, Reply } from '../../contract/handlers.ts'
import { MCP_PATH, URL_PREFIX } from '../../contract/version.ts'
import { etagOf, isKnown } from '../../kernel/etag.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { discoveryProfile, registryView } from './profile.ts'

const CACHE_S = 300

export function discoveryHandlers({
  config,
  vendors,
}: Pick<Context, 'config' | 'vendors'>): HandlersOf<'discovery' | 'listNamespaces'> {
  const body = discoveryProfile({
    endpoint: `${config.publicUrl}${URL_PREFIX}`,
    mcpEndpoint: `${config.publicUrl}${MCP_PATH}`,
    schemaBase: config.schemaBaseUrl,
    vendors,
  })
  const text = JSON.stringify(body)
  const etag = etagOf(text)
  const headers = { 'cache-control': `public, max-age=${CACHE_S}`, etag }
  const full = accept<Reply<'discovery'>>({ body, text, headers })
  const unchanged = accept<Reply<'discovery'>>({ body, text: '', headers, status: 304 })
  return {
    discovery: async ({ context }) => (isKnown(context.headers['if-none-match'], etag) ? unchanged : full),
    listNamespaces: async () => accept({ body: registryView(vendors) }),
  }
}
