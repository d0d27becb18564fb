/** What stands beside the operations: health, metrics, the interface description, and the published schemas. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DOCS_CSS, DOCS_CSS_PATH, docsPage, extensionPage } from '../api-docs/reference-page.ts'
import { openapi } from '../api-docs/openapi.ts'
import { schemaDocuments } from '../api-docs/extension-schemas.ts'
import { EXTENSION_VERSION, URL_PREFIX } from '../contract/version.ts'
import type { Context } from '../capabilities/context.ts'
import { etagOf, isKnown } from '../kernel/etag.ts'
import { databaseBytes } from '../store/disk.ts'
import type { DiskSpace } from '../store/disk.ts'
import type { Metrics } from './metrics.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'
const PUBLIC_CACHE = 'public, max-age=300'
/** No script at all, nothing from anywhere else: the pages work on a closed network. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * A text that does not change while the process lives, with the headers that let others keep it. As bytes: a text would
 * be encoded anew for every caller, and stay in memory as long as one does not read.
 */
function fixed(type: string, make: () => string, headers: Readonly<Record<string, string>> = {}) {
  let bytes: Buffer | undefined
  let etag = ''
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (bytes === undefined) {
      bytes = Buffer.from(make())
      etag = etagOf(bytes)
    }
    reply.headers({ 'cache-control': PUBLIC_CACHE, ...headers, etag })
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(type).send(bytes)
  }
}

type PagesNeeds = Pick<Context, 'store' | 'config'> & {
  readonly metrics: Metrics
  /** Of the disk with the database file, where there is one. */
  readonly space?: (() => Promise<DiskSpace | undefined>) | undefined
}

export function mountPages(
  server: FastifyInstance,
  { store, config, metrics, space = async () => undefined }: PagesNeeds,
): void {
  const open = { config: { open: true } }
  // A metric that cannot be read is not a number; the others are still told.
  metrics.gauge('vendops_database_bytes', 'Size of the database.', () => databaseBytes(store).catch(() => Number.NaN))
  metrics.gauge(
    'vendops_disk_free_bytes',
    'Free bytes where the database file lies; NaN where there is none.',
    async () => (await space())?.freeBytes ?? Number.NaN,
  )

  server.get('/healthz', open, (_request, reply) => reply.type(JSON_TYPE).send('{"status":"ok"}'))

  server.get('/readyz', open, async (_request, reply) => {
    const reasons: string[] = []
    try {
      await store.ping()
      const pending = await store.pendingMigrations()
      if (pending.length > 0) reasons.push(`migrations pending: ${pending.join(', ')}`)
    } catch {
      reasons.push('the database does not answer')
    }
    const disk = (await space())?.state
    if (disk === 'full') reasons.push('the disk is full')
    const ready = reasons.length === 0
    return reply
      .code(ready ? 200 : 503)
      .type(JSON_TYPE)
      .send(JSON.stringify({ status: ready ? 'ready' : 'not_ready', reasons, ...(disk ? { disk } : {}) }))
  })

  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))

  const description = () => JSON.stringify(openapi(config.publicUrl))
  server.get(`${URL_PREFIX}/openapi.json`, fixed(JSON_TYPE, description, { 'cache-control': 'private, max-age=300' }))

  const page = { 'content-security-policy': PAGE_POLICY, 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' }
  server.get(
    '/docs',
    open,
    fixed(HTML_TYPE, () => docsPage(openapi(config.publicUrl)), page),
  )
  server.get(
    DOCS_CSS_PATH,
    open,
    fixed('text/css; charset=utf-8', () => DOCS_CSS),
  )

  for (const [name, document] of Object.entries(schemaDocuments(config.schemaBaseUrl))) {
    const place = `/schemas/${EXTENSION_VERSION}/${name}`
    server.get(
      `${place}.json`,
      open,
      fixed(JSON_TYPE, () => JSON.stringify(document)),
    )
    server.get(
      `${place}.html`,
      open,
      fixed(HTML_TYPE, () => extensionPage(document), page),
    )
  }
}
