/** Pages beside the operations: health, metrics, OpenAPI, reference page and published schemas. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { llmsText, SKILL_PATH, skillFiles, SKILLS_PATH, skillsIndex } from '../api-docs/agent-skill.ts'
import {
  DOCS_CSS,
  DOCS_CSS_PATH,
  DOCS_ICON,
  DOCS_ICON_PATH,
  DOCS_JS,
  DOCS_JS_PATH,
  docsPage,
  extensionPage,
} from '../api-docs/reference-page.ts'
import { openapi } from '../api-docs/openapi.ts'
import { SCHEMA_NAMES, schemaDocument } from '../api-docs/extension-schemas.ts'
import { ROLES } from '../contract/roles.ts'
import { EXTENSION_VERSION, PRODUCT_VERSION, URL_PREFIX } from '../contract/version.ts'
import type { Context } from '../context.ts'
import { etagOf, isKnown } from '../kernel/etag.ts'
import { type DiskSpace, measureDatabaseBytes } from '../store/disk.ts'
import type { Metrics } from './metrics.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'
const PUBLIC_CACHE = 'public, max-age=300'
/** No inline script and nothing from other hosts: the pages work on a closed network. The script calls this service only. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/**
 * Serves a text that changes with `version` only, with ETag and caching. Kept as bytes: a string would be encoded
 * again for every caller, and each copy would stay in memory until it was read.
 */
function staticReply(
  type: string,
  create: () => string,
  headers: Readonly<Record<string, string>> = {},
  version: () => string = () => '',
) {
  let bytes: Buffer | undefined
  let etag = ''
  let madeFor: string | undefined
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (bytes === undefined || madeFor !== version()) {
      madeFor = version()
      bytes = Buffer.from(create())
      etag = etagOf(bytes)
    }
    reply.headers({ 'cache-control': PUBLIC_CACHE, ...headers, etag })
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(type).send(bytes)
  }
}

type PagesNeeds = Pick<Context, 'store' | 'config'> & {
  readonly metrics: Metrics
  /** Free space of the disk with the database file, where there is one. */
  readonly diskSpace?: (() => Promise<DiskSpace | undefined>) | undefined
}

export function mountPages(
  server: FastifyInstance,
  { store, config, metrics, diskSpace = async () => undefined }: PagesNeeds,
): void {
  const withoutToken = { config: { public: true } }
  // A gauge that cannot be read is NaN, so that the others are still reported.
  metrics.gauge('vendops_database_bytes', 'Size of the database.', () =>
    measureDatabaseBytes(store).catch(() => Number.NaN),
  )
  metrics.gauge(
    'vendops_disk_free_bytes',
    'Free bytes where the database file lies; NaN where there is none.',
    async () => (await diskSpace())?.freeBytes ?? Number.NaN,
  )

  server.get('/healthz', withoutToken, (_request, reply) => reply.type(JSON_TYPE).send('{"status":"ok"}'))

  server.get('/readyz', withoutToken, async (_request, reply) => {
    const reasons: string[] = []
    try {
      await store.ping()
      const pending = await store.pendingMigrations()
      if (pending.length > 0) reasons.push(`migrations pending: ${pending.join(', ')}`)
    } catch {
      reasons.push('database does not answer')
    }
    const disk = (await diskSpace())?.state
    if (disk === 'full') reasons.push('disk is full')
    const isReady = reasons.length === 0
    const status = isReady ? 'ready' : 'not_ready'
    return reply
      .code(isReady ? 200 : 503)
      .type(JSON_TYPE)
      .send(JSON.stringify({ status, version: PRODUCT_VERSION, reasons, ...(disk ? { disk } : {}) }))
  })

  server.get('/metrics', { config: { onlyFor: { roles: ROLES.readers } } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  )

  const currencyNow = () => config.currency
  const openapiText = () => JSON.stringify(openapi(config.publicUrl, config.currency))
  server.get(
    `${URL_PREFIX}/openapi.json`,
    staticReply(JSON_TYPE, openapiText, { 'cache-control': 'private, max-age=300' }, currencyNow),
  )

  const pageHeaders = {
    'content-security-policy': PAGE_POLICY,
    'x-frame-options': 'DENY',
    // Writes with the cookie are allowed from this site only, which the browser says with this.
    'referrer-policy': 'same-origin',
  }
  server.get(
    '/docs',
    withoutToken,
    staticReply(HTML_TYPE, () => docsPage(openapi(config.publicUrl, config.currency)), pageHeaders, currencyNow),
  )
  server.get(
    DOCS_CSS_PATH,
    withoutToken,
    staticReply('text/css; charset=utf-8', () => DOCS_CSS),
  )

  server.get(
    DOCS_JS_PATH,
    withoutToken,
    staticReply('text/javascript; charset=utf-8', () => DOCS_JS),
  )
  server.get(
    DOCS_ICON_PATH,
    withoutToken,
    staticReply('image/svg+xml', () => DOCS_ICON),
  )
  const markdown = 'text/markdown; charset=utf-8'
  server.get(
    '/llms.txt',
    withoutToken,
    staticReply('text/plain; charset=utf-8', () => llmsText(config.publicUrl)),
  )
  server.get(`${SKILLS_PATH}/index.json`, withoutToken, staticReply(JSON_TYPE, skillsIndex))
  for (const [path, text] of Object.entries(skillFiles()))
    server.get(
      `${SKILL_PATH}/${path}`,
      withoutToken,
      staticReply(markdown, () => text),
    )

  for (const name of SCHEMA_NAMES) {
    const document = () => schemaDocument(name, config.schemaBaseUrl)
    const path = `/schemas/${EXTENSION_VERSION}/${name}`
    server.get(
      `${path}.json`,
      withoutToken,
      staticReply(JSON_TYPE, () => JSON.stringify(document())),
    )
    server.get(
      `${path}.html`,
      withoutToken,
      staticReply(HTML_TYPE, () => extensionPage(document()), pageHeaders),
    )
  }
}
