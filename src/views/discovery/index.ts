/** What this deployment can do, for platforms (cacheable) and for callers with the token. */
import type { HandlersOf, Reply } from '../../contract/handlers.ts'
import { MCP_PATH, URL_PREFIX } from '../../contract/version.ts'
import { etagOf, isKnown } from '../../kernel/etag.ts'
import { type Outcome, accept } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { discoveryProfile, registryView } from './profile.ts'

const CACHE_S = 300

type Needs = Pick<Context, 'config' | 'vendors' | 'signingKeys'>

interface Replies {
  readonly keys: ReturnType<Context['signingKeys']['publishedKeys']>
  readonly etag: string
  readonly full: Outcome<Reply<'discovery'>>
  readonly unchanged: Outcome<Reply<'discovery'>>
}

function repliesWith(keys: Replies['keys'], { config, vendors }: Needs): Replies {
  const body = discoveryProfile({
    endpoint: `${config.publicUrl}${URL_PREFIX}`,
    mcpEndpoint: `${config.publicUrl}${MCP_PATH}`,
    schemaBase: config.schemaBaseUrl,
    vendors,
    keys,
  })
  const text = JSON.stringify(body)
  const etag = etagOf(text)
  const headers = { 'cache-control': `public, max-age=${CACHE_S}`, etag }
  return {
    keys,
    etag,
    full: accept({ body, text, headers }),
    unchanged: accept({ body, text: '', headers, status: 304 }),
  }
}

export function discoveryHandlers(ctx: Needs): HandlersOf<'discovery' | 'listNamespaces'> {
  let replies = repliesWith(ctx.signingKeys.publishedKeys(), ctx)
  return {
    discovery: async ({ context }) => {
      // The profile changes only with its keys.
      const keys = ctx.signingKeys.publishedKeys()
      if (keys !== replies.keys) replies = repliesWith(keys, ctx)
      return isKnown(context.headers['if-none-match'], replies.etag) ? replies.unchanged : replies.full
    },
    listNamespaces: async () => accept({ body: registryView(ctx.vendors) }),
  }
}
