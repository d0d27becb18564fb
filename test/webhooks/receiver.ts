/** A platform that receives webhooks: it verifies each message against the profile it fetched, and answers as told. */
import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifySignature } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
import { onTestFinished } from 'vitest'
import { createKey, writeKeys } from '../../src/record/outbox/keys-file.ts'
import type { StoredKey } from '../../src/record/outbox/keys-file.ts'
import { contentDigest } from '../../src/kernel/message-signature.ts'
import type { Json } from '../support/service.ts'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly url: string
  readonly raw: Buffer
  readonly body: Json
}

type Answer = number | { readonly status: number; readonly headers?: Record<string, string> }

export async function startReceiver() {
  const received: Received[] = []
  /** The answers to come; 204 when there is none. */
  const answers: Answer[] = []
  let usual: Answer = 204
  let answerTo: (body: Json) => Answer | undefined = () => undefined
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const raw = Buffer.concat(parts)
      received.push({
        headers: request.headers,
        url: request.url ?? '',
        raw,
        body: JSON.parse(raw.toString() || 'null'),
      })
      const answer = answers.shift() ?? answerTo(received.at(-1)?.body) ?? usual
      const { status, headers = {} } = typeof answer === 'number' ? { status: answer } : answer
      response.writeHead(status, headers).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return {
    received,
    answers,
    set usual(answer: Answer) {
      usual = answer
    },
    /** By what the message is about. */
    set answerTo(answer: (body: Json) => Answer | undefined) {
      answerTo = answer
    },
    url: `http://127.0.0.1:${port}/hooks?platform=1`,
    origin: `http://127.0.0.1:${port}`,
    close,
  }
}

const COVERED = [
  '@method',
  '@authority',
  '@path',
  '@query',
  'ucp-agent',
  'webhook-id',
  'webhook-timestamp',
  'content-digest',
  'content-type',
]

/** As a platform does it: coverage, digest, and the signature under a key of the profile, with two libraries. */
export async function isVerified(message: Received, origin: string, keys: readonly Json[]): Promise<boolean> {
  const { raw } = message
  const headers = message.headers as Record<string, string>
  const url = `${origin}${message.url}`
  if (headers['content-digest'] !== contentDigest(raw)) return false
  const isSigned = (keyId: string | undefined, data: Uint8Array, signature: Uint8Array): boolean => {
    const jwk = keys.find(({ kid }) => kid === keyId)
    if (!jwk) return false
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
  }
  const first = await httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid }) => ({
        id: keyid ?? '',
        verify: async (data, signature) => isSigned(keyid, data, signature),
      }),
      requiredFields: COVERED,
      requiredParams: ['created', 'keyid'],
      tolerance: 1e9,
    },
    { method: 'POST', url, headers },
  )
  const created = Number(/created=(\d+)/.exec(headers['signature-input'] ?? '')?.[1])
  const keyId = /keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1]
  const second = await verifySignature(new Request(url, { method: 'POST', headers: receivedHeaders(headers) }), {
    policy: {
      now: created,
      algorithms: ['ecdsa-p256-sha256'],
      requiredComponents: COVERED,
      requiredParameters: ['created', 'keyid'],
      maxAge: 300,
      clockSkew: 5,
    },
    resolveVerifier: () => ({
      algorithm: 'ecdsa-p256-sha256',
      verify: (data: Uint8Array, signature: Uint8Array) => isSigned(keyId, data, signature),
    }),
  }).then(
    () => true,
    () => false,
  )
  return first === true && second
}

/** Without those that a request of the platform may not set itself. */
const receivedHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
  )

export function keysFile(...keys: readonly StoredKey[]) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'keys.json')
  const write = (next: readonly StoredKey[]) => writeFileSync(file, writeKeys(next), { mode: 0o600 })
  write(keys)
  return { file, write }
}

export const newKey = (at: number): StoredKey => createKey(at)
