/**
 * Serves the built console: its page at every path a person may bookmark, its assets for ever, all out of memory and
 * compressed at build time. The page holds no data; whatever it shows it asks the interface for, with the cookie.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../kernel/etag.ts'
import { COOKIE } from './auth.ts'

/** Every address of the console; the router of the console has the same list. */
export const CONSOLE_PATHS = [
  '/',
  '/signin',
  '/approvals',
  '/approvals/:id',
  '/purchases/:id',
  '/machines',
  '/machines/:id',
  '/plan',
  '/runs',
  '/runs/:id',
  '/catalog',
  '/skus/:sku_id',
  '/orders',
  '/orders/:id',
  '/forecasts',
  '/guardrails',
] as const

const CONSOLE_DIST = join(import.meta.dirname, '../../dist/console')

/** Only what we serve ourselves runs here, nothing frames us, and no form leaves: it works on a closed network. */
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
  "trusted-types 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  // The page names its assets by hash, so it must always be asked for anew.
  'cache-control': 'no-cache',
}

/** What the first page asks for, on its way before the script that asks is read: its first figure and its slowest. */
const AHEAD = ['/ucp/v1/approvals?status=pending&limit=100', '/ucp/v1/replenishment/plan']
  .map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`)
  .join(', ')

const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
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
<h1>The console is not built</h1><p>Run <code>npm run build</code> and start again. The interface itself is
described <a href="/docs">here</a>.</p></html>`

/** Each encoding is a thing of its own to a cache. */
interface Form {
  readonly bytes: Buffer
  readonly etag: string
}

interface File {
  readonly type: string
  readonly plain: Form
  readonly br?: Form
  readonly gzip?: Form
}

const formOf = (bytes: Buffer): Form => ({ bytes, etag: etagOf(bytes) })

function readBuilt(path: string): File {
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    plain: formOf(readFileSync(path)),
    ...(existsSync(`${path}.br`) ? { br: formOf(readFileSync(`${path}.br`)) } : {}),
    ...(existsSync(`${path}.gz`) ? { gzip: formOf(readFileSync(`${path}.gz`)) } : {}),
  }
}

const encodingFor = (file: File, accepted: string): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find(
    (name) => file[name] && new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted),
  )

function sendFile(request: FastifyRequest, reply: FastifyReply, file: File, headers: Readonly<Record<string, string>>) {
  const encoding = encodingFor(file, request.headers['accept-encoding'] ?? '')
  const { bytes, etag } = (encoding && file[encoding]) ?? file.plain
  reply.headers({ ...headers, etag, vary: 'accept-encoding' })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.type).send(bytes)
}

export function mountConsole(server: FastifyInstance, dist: string = CONSOLE_DIST): void {
  const open = { config: { open: true } }
  const index = join(dist, 'index.html')
  const page: File = existsSync(index)
    ? readBuilt(index)
    : { type: 'text/html; charset=utf-8', plain: formOf(Buffer.from(NOT_BUILT)) }

  for (const path of CONSOLE_PATHS)
    server.get(path, open, (request, reply) => {
      // Whoever is not signed in would only be refused.
      if (path === '/' && request.headers.cookie?.includes(`${COOKIE}=`)) reply.header('link', AHEAD)
      return sendFile(request, reply, page, PAGE_HEADERS)
    })

  const folder = join(dist, 'assets')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (/\.(br|gz)$/.test(name)) continue
    const file = readBuilt(join(folder, name))
    server.get(`/assets/${name}`, open, (request, reply) => sendFile(request, reply, file, ASSET_HEADERS))
  }
}
