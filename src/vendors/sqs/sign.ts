/** Signs a request as Amazon describes it (Signature Version 4). Pure: the time is given. */
import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

interface SignedRequest {
  readonly method: string
  readonly url: URL
  /** With `host`; the rest as it is sent. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The headers to send, with `x-amz-date` and `authorization`. */
export function signRequest(
  { method, url, headers, body }: SignedRequest,
  { accessKey, secretKey, region }: AwsCredentials,
  { service, atMs }: { readonly service: string; readonly atMs: number },
): Record<string, string> {
  const time = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const signed = { ...headers, 'x-amz-date': time }
  const entries = Object.entries(signed)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const names = entries.map(([name]) => name).join(';')
  const request = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...entries.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const key = [region, service, 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretKey}`, day))
  const signature = hmac(key, text).toString('hex')
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
