import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import fc from 'fast-check'
import { verifySignature } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
import { describe, expect, test } from 'vitest'
import { type Component, contentDigest, requestComponents, signatureBase, signMessage } from './message-signature.ts'
import { propertyRuns } from '../../test/support/property-runs.ts'

describe('RFC 9421, appendix B.2', () => {
  test('B.2.3 the signature base of a request with full coverage', () => {
    const base = signatureBase(
      [
        ['date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
        ['@method', 'POST'],
        ['@path', '/foo'],
        ['@query', '?param=Value&Pet=dog'],
        ['@authority', 'example.com'],
        ['content-type', 'application/json'],
        [
          'content-digest',
          'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
        ],
        ['content-length', '18'],
      ],
      { created: 1618884473, keyid: 'test-key-rsa-pss' },
    )
    expect(base).toBe(`"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@query": ?param=Value&Pet=dog
"@authority": example.com
"content-type": application/json
"content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"`)
  })

  test('B.2.4 the published ES256 signature of a response verifies over our signature base', () => {
    const base = signatureBase(
      [
        ['@status', '200'],
        ['content-type', 'application/json'],
        [
          'content-digest',
          'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
        ],
        ['content-length', '23'],
      ],
      { created: 1618884473, keyid: 'test-key-ecc-p256' },
    )
    const key = createPublicKey({
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
        y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
      },
      format: 'jwk',
    })
    const signature = Buffer.from(
      'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==',
      'base64',
    )
    expect(verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
  })
})

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicKey = createPublicKey(createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }))
const KEY = { kid: 'kid-1', privateKey }
const CREATED = 1789000000

const isSignedBy = (data: Uint8Array, signature: Uint8Array) =>
  verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)

interface Message {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

function sign(url: string, agent: string, body: Uint8Array): Message {
  const headers: readonly Component[] = [
    ['ucp-agent', agent],
    ['content-digest', contentDigest(body)],
    ['content-type', 'application/json'],
  ]
  const signed = signMessage([...requestComponents('POST', new URL(url)), ...headers], KEY, CREATED)
  return { method: 'POST', url: new URL(url).href, headers: { ...Object.fromEntries(headers), ...signed }, body }
}

const REQUIRED = ['@method', '@authority', '@path', 'ucp-agent', 'content-digest', 'content-type']

/** Both libraries, and the digest of the body, as a receiver checks them. */
async function verifications({ method, url, headers, body }: Message): Promise<readonly boolean[]> {
  const required = new URL(url).search === '' ? REQUIRED : [...REQUIRED, '@query']
  const digest = headers['content-digest'] === contentDigest(body)
  const keyLookup = () =>
    Promise.resolve({
      id: KEY.kid,
      verify: (data: Buffer, signature: Buffer) => Promise.resolve(isSignedBy(data, signature)),
    })
  const first = await httpbis
    .verifyMessage({ keyLookup, requiredFields: required, tolerance: 1e9 }, { method, url, headers: { ...headers } })
    .catch(() => false)
  const second = await verifySignature(new Request(url, { method, headers: { ...headers } }), {
    policy: {
      now: CREATED,
      algorithms: ['ecdsa-p256-sha256'],
      requiredComponents: required,
      requiredParameters: ['created', 'keyid'],
      maxAge: 300,
      clockSkew: 5,
    },
    resolveVerifier: () => ({ algorithm: 'ecdsa-p256-sha256', verify: isSignedBy }),
  }).then(
    () => true,
    () => false,
  )
  return [digest && first === true, digest && second]
}

const segment = fc.stringMatching(/^[A-Za-z0-9._~%-]{0,12}$/).map((text) => text.replaceAll('%', '%25'))
const anyUrl = fc
  .tuple(
    fc.domain(),
    fc.option(fc.integer({ min: 1, max: 65_535 })),
    fc.array(segment, { maxLength: 4 }),
    fc.option(fc.stringMatching(/^[A-Za-z0-9=&+_.-]{1,20}$/)),
  )
  .map(
    ([host, port, path, query]) =>
      `https://${host}${port ? `:${port}` : ''}/${path.join('/')}${query ? `?${query}` : ''}`,
  )
const anyAgent = fc.stringMatching(/^profile="https:\/\/[a-z0-9.-]{3,20}\/[a-z/]{0,10}"$/)
const anyBody = fc.uint8Array({ maxLength: 200 })

describe('two independent verifiers', () => {
  test('accept any URL, header and body that we signed', async () => {
    await fc.assert(
      fc.asyncProperty(anyUrl, anyAgent, anyBody, async (url, agent, body) => {
        expect(await verifications(sign(url, agent, body))).toEqual([true, true])
      }),
      { numRuns: propertyRuns(60) },
    )
  })

  test('refuse a message in which anything that is covered was changed', async () => {
    const changes: readonly ((message: Message) => Message)[] = [
      (message) => ({ ...message, method: 'PUT' }),
      (message) => ({ ...message, url: message.url.replace('://', '://x') }),
      (message) => ({ ...message, url: `${new URL(message.url).origin}/other${new URL(message.url).search}` }),
      (message) => ({ ...message, url: `${message.url.split('?')[0]}?changed=1` }),
      (message) => ({ ...message, body: Buffer.concat([message.body, Buffer.of(0)]) }),
      (message) => ({ ...message, headers: { ...message.headers, 'ucp-agent': 'profile="https://evil.example"' } }),
      (message) => ({ ...message, headers: { ...message.headers, 'content-type': 'text/plain' } }),
      (message) => ({
        ...message,
        headers: { ...message.headers, 'content-digest': contentDigest(Buffer.of(1, 2, 3)) },
      }),
    ]
    await fc.assert(
      fc.asyncProperty(anyUrl, anyAgent, anyBody, fc.constantFrom(...changes), async (url, agent, body, change) => {
        expect(await verifications(change(sign(`${url.split('?')[0]}?q=1`, agent, body)))).toEqual([false, false])
      }),
      { numRuns: propertyRuns(60) },
    )
  })

  test('refuse a body and a signature with one bit changed', async () => {
    const message = sign(
      'https://platform.example/hooks?order=1',
      'profile="https://v.example/.well-known/ucp"',
      Buffer.from('{"id":1}'),
    )
    const flip = (bytes: Uint8Array, bit: number) => {
      const copy = Buffer.from(bytes)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return copy
    }
    const signature = Buffer.from(message.headers['signature']?.slice('sig1=:'.length, -1) ?? '', 'base64')
    expect(signature).toHaveLength(64)
    for (const bit of [0, 7, 31, 63])
      expect(await verifications({ ...message, body: flip(message.body, bit) })).toEqual([false, false])
    for (const bit of [0, 100, 255, 256, 511]) {
      const changed = `sig1=:${flip(signature, bit).toString('base64')}:`
      expect(await verifications({ ...message, headers: { ...message.headers, signature: changed } })).toEqual([
        false,
        false,
      ])
    }
  })
})
