/** Section 4.1: what this deployment can do, for platforms (cached) and for callers with the token. */
import { createHash } from 'node:crypto'
import type { HandlersOf, Reply } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Floor } from '../floor.ts'
import { profile, registryView } from './profile.ts'

const CACHE_S = 300

export function discoveryHandlers({
  config,
  vendors,
}: Pick<Floor, 'config' | 'vendors'>): HandlersOf<'discovery' | 'listNamespaces'> {
  const body = profile({ endpoint: `${config.publicUrl}/ucp/v1`, schemaBase: config.schemaBaseUrl, vendors })
  const text = JSON.stringify(body)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  const headers = { 'cache-control': `public, max-age=${CACHE_S}`, etag }
  const whole = accept<Reply<'discovery'>>({ body, text, headers })
  const unchanged = accept<Reply<'discovery'>>({ body, text: '', headers, status: 304 })
  return {
    discovery: async ({ context }) => {
      const known = context.headers['if-none-match']
      return typeof known === 'string' && known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
        ? unchanged
        : whole
    },
    listNamespaces: async () => accept({ body: registryView(vendors) }),
  }
}
