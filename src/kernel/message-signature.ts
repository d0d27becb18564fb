/**
 * HTTP message signatures (RFC 9421) with ECDSA P-256, and content digests (RFC 9530). Pure: the caller gives the
 * components, the key and the time.
 */
import { type KeyObject, hash, sign } from 'node:crypto'

/** A covered part of the message: a derived component such as `@method`, or a header in lower case. */
export type Component = readonly [name: string, value: string]

export interface SignatureParams {
  /** Epoch seconds. */
  readonly created: number
  readonly keyid: string
}

export interface MessageKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

const LABEL = 'sig1'

/** RFC 9530, over the bytes as they are sent. */
export const contentDigest = (body: Uint8Array): string => `sha-256=:${hash('sha256', body, 'base64')}:`

const signatureParams = (names: readonly string[], { created, keyid }: SignatureParams): string =>
  `(${names.map((name) => `"${name}"`).join(' ')});created=${created};keyid="${keyid}"`

/** RFC 9421, 2.5: what is signed. */
export function signatureBase(components: readonly Component[], params: SignatureParams): string {
  const names = components.map(([name]) => name)
  return [
    ...components.map(([name, value]) => `"${name}": ${value.trim()}`),
    `"@signature-params": ${signatureParams(names, params)}`,
  ].join('\n')
}

/**
 * The derived components of a request. The query is covered wherever there is one: a verifier accepts a changed query that
 * is not covered.
 */
export const requestComponents = (method: string, url: URL): readonly Component[] => [
  ['@method', method],
  ['@authority', url.host],
  ['@path', url.pathname],
  ...(url.search === '' ? [] : [['@query', url.search] as const]),
]

export interface SignatureHeaders {
  readonly 'signature-input': string
  readonly signature: string
}

/** The signature is r and s, 32 bytes each. There is no `alg`: the algorithm is that of the published key. */
export function signMessage(
  components: readonly Component[],
  { kid, privateKey }: MessageKey,
  created: number,
): SignatureHeaders {
  const params = { created, keyid: kid }
  const base = Buffer.from(signatureBase(components, params))
  const bytes = sign('sha256', base, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    'signature-input': `${LABEL}=${signatureParams(
      components.map(([name]) => name),
      params,
    )}`,
    signature: `${LABEL}=:${bytes.toString('base64')}:`,
  }
}
