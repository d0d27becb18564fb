/**
 * Serves the built console from memory, compressed at build time: the page at every path that can be bookmarked, and its
 * assets. The page contains no data; it reads everything through the API, with the cookie.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../kernel/etag.ts'
import { type PersonRole, TOKEN_HOLDER } from '../kernel/person.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { COOKIE, cookieValue } from './access/auth.ts'
import { type Sessions, isSessionValue } from './access/sessions.ts'

/** All paths of the console. Its router has the same list. */
export const CONSOLE_PATHS = [
  '/',
  '/signin',
  '/approvals',
  '/approvals/:id',
  '/purchases/:id',
  '/basket',
  '/machines',
  '/machines/:id',
  '/setup/machines',
  '/setup/selections',
  '/setup/counts',
  '/plan',
  '/plan/run',
  '/prices',
  '/links',
  '/swaps',
  '/runs',
  '/runs/:id',
  '/storeroom',
  '/catalog',
  '/skus/:sku_id',
  '/orders',
  '/orders/:id',
  '/profit',
  '/earn',
  '/cash',
  '/forecasts',
  '/connections',
  '/guardrails',
  '/settings',
  '/activity',
  '/activity/:id',
  '/people',
  '/visits',
  '/visits/:id',
  '/runs/:id/pick-list',
] as const

const CONSOLE_DIST = join(import.meta.dirname, '../../dist/console')

/** Only our own resources, no framing, no form targets. The console works on a closed network. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // One policy, which registers the service worker and nothing else.
  'trusted-types vendops-shell',
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  // The page names its assets by hash, so it must be revalidated every time.
  'cache-control': 'no-cache',
}

/** Requests of the first page, preloaded while its script still loads: its first figure, whose page it is, and its slowest. */
const PRELOADS = ['/ucp/v1/approvals?status=pending&limit=100', '/ucp/v1/me', '/ucp/v1/replenishment/plan?only=summary']
  .map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`)
  .join(', ')

const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

/** Files with fixed names, so that an installed console finds the next build: revalidated every time, like the page. */
const ROOT_FILE = /^(?:service-worker\.js|manifest\.webmanifest|icon-[\w-]+\.png)$/
const ROOT_HEADERS = {
  'content-security-policy': "default-src 'none'; connect-src 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>vendops</title>
<h1>The console is not built</h1><p>Run <code>npm run build</code> and start again. The API is
described at <a href="/docs">/docs</a>.</p></html>`

/** A file in one encoding. Each has its own ETag, as caches treat them as different. */
type EncodedFile = Readonly<ReturnType<typeof encodedFile>>

interface ConsoleFile {
  readonly type: string
  readonly plain: EncodedFile
  readonly br?: EncodedFile
  readonly gzip?: EncodedFile
}

const encodedFile = (bytes: Buffer) => ({ bytes, etag: etagOf(bytes) })

const readFile = (path: string): ConsoleFile => ({
  type: TYPES[extname(path)] ?? 'application/octet-stream',
  plain: encodedFile(readFileSync(path)),
  ...(existsSync(`${path}.br`) ? { br: encodedFile(readFileSync(`${path}.br`)) } : {}),
  ...(existsSync(`${path}.gz`) ? { gzip: encodedFile(readFileSync(`${path}.gz`)) } : {}),
})

const chooseEncoding = (file: ConsoleFile, accepted: string): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find(
    (name) => file[name] && new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted),
  )

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
  headers: Readonly<Record<string, string>>,
) {
  const encoding = chooseEncoding(file, request.headers['accept-encoding'] ?? '')
  const { bytes, etag } = (encoding && file[encoding]) ?? file.plain
  reply.headers({ ...headers, etag, vary: 'accept-encoding' })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.type).send(bytes)
}

/** Whether these requests would be answered: without a cookie, with an expired session or as a driver they are refused. */
async function mayPreload({ headers }: FastifyRequest, sessions: Pick<Sessions, 'find'>): Promise<boolean> {
  const value = cookieValue(headers.cookie, COOKIE)
  if (value === undefined || !isSessionValue(value)) return value !== undefined
  const found = await sessions.find(value)
  const roles: readonly PersonRole[] = OPERATIONS.listApprovals.roles
  return found !== undefined && roles.includes(found.key?.identity.role ?? TOKEN_HOLDER.role)
}

export function mountConsole(server: FastifyInstance, sessions: Pick<Sessions, 'find'>): void {
  const withoutToken = { config: { public: true } }
  const index = join(CONSOLE_DIST, 'index.html')
  const page: ConsoleFile = existsSync(index)
    ? readFile(index)
    : { type: 'text/html; charset=utf-8', plain: encodedFile(Buffer.from(NOT_BUILT)) }

  for (const path of CONSOLE_PATHS)
    server.get(path, withoutToken, async (request, reply) => {
      if (path === '/' && (await mayPreload(request, sessions))) reply.header('link', PRELOADS)
      return sendFile(request, reply, page, PAGE_HEADERS)
    })

  server.unknownPage = (request, reply) => void sendFile(request, reply.code(404), page, PAGE_HEADERS)

  const serveFile = (path: string, file: ConsoleFile, headers: Readonly<Record<string, string>>) =>
    server.get(path, withoutToken, (request, reply) => sendFile(request, reply, file, headers))
  const folder = join(CONSOLE_DIST, 'assets')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (!/\.(br|gz)$/.test(name)) serveFile(`/assets/${name}`, readFile(join(folder, name)), ASSET_HEADERS)
  for (const name of readdirSync(CONSOLE_DIST))
    if (ROOT_FILE.test(name)) serveFile(`/${name}`, readFile(join(CONSOLE_DIST, name)), ROOT_HEADERS)
}
