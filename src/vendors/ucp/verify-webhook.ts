/**
 * Order webhooks of a merchant (RFC 9421, ECDSA P-256), verified with the keys that its own profile publishes. What an order
 * says here is never believed by itself: it names an order that the merchant is then asked about.
 */
import { createHash, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { type Clock, MINUTE, SECOND } from '../../kernel/clock.ts'
import { contentDigest } from '../../kernel/message-signature.ts'
import type { Result } from '../contract.ts'
import type { InboundRequest, InboundNews } from '../supply-vendor.ts'
import { fail, succeed } from '../result.ts'
import { isFields } from '../upstream/read-json.ts'
import type { Merchant } from './merchant.ts'

/** How far the clocks of the merchant and ours may be apart, and how long a message may be on its way. */
const AGE_MAX_MS = 5 * MINUTE
const INPUT = /^(\w+)=\(((?:"[^"]*"\s*)+)\)((?:;\w+=(?:"[^"]*"|\d+))*)$/
/** What a signature has to cover: otherwise it may be that of another message. */
const COVERED = ['@method', '@path', 'content-digest']
const ID_MAX = 200

const FORGED = fail('unauthorized', 'The signature of the message is not right')

export async function verifyWebhook(
  merchant: Pick<Merchant, 'profile'>,
  clock: Clock,
  request: InboundRequest,
): Promise<Result<InboundNews>> {
  const header = (name: string): string => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : ''
  }
  const [match, label = '', list = '', given = ''] = INPUT.exec(header('signature-input').trim()) ?? []
  const signature = new RegExp(`^${label}=:([A-Za-z0-9+/]+={0,2}):$`).exec(header('signature').trim())?.[1]
  if (match === undefined || signature === undefined) return FORGED
  const names = [...list.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name)
  const created = Number(/;created=(\d+)/.exec(given)?.[1])
  const keyId = /;keyid="([^"]*)"/.exec(given)?.[1]
  if (!COVERED.every((name) => names.includes(name)) || keyId === undefined) return FORGED
  if (!Number.isSafeInteger(created) || Math.abs(clock.now() - created * SECOND) > AGE_MAX_MS) return FORGED
  if (!isSame(header('content-digest'), contentDigest(request.body))) return FORGED

  const profile = await merchant.profile()
  if (!profile.ok) return profile
  const jwk = profile.value.signingKeys.find((key) => key['kid'] === keyId)
  if (!jwk) return FORGED
  const parts: Readonly<Record<string, string>> = {
    '@method': request.method,
    '@path': request.path,
    '@authority': request.host,
  }
  const lines = names.map((name) => `"${name}": ${(parts[name] ?? header(name)).trim()}`)
  const base = [...lines, `"@signature-params": (${list.trim()})${given}`].join('\n')
  return isSigned(base, signature, jwk) ? readNews(request, header('webhook-id')) : FORGED
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

function isSigned(base: string, signature: string, jwk: Readonly<Record<string, unknown>>): boolean {
  if (jwk['kty'] !== 'EC' || jwk['crv'] !== 'P-256') return false
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    return verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

function readNews({ body }: InboundRequest, id: string): Result<InboundNews> {
  let order: unknown
  try {
    order = JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return fail('rejected', 'The message is no JSON')
  }
  if (!isFields(order) || typeof order['id'] !== 'string' || order['id'] === '' || order['id'].length > ID_MAX)
    return fail('rejected', 'The message is about no order')
  const hash = createHash('sha256').update(body).digest('hex')
  return succeed({ id: id === '' ? hash : id.slice(0, ID_MAX), orders: [order['id']] })
}
