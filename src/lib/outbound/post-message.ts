/**
 * Sends one message to a receiver outside. The name is resolved once, every address is checked, and the connection is made
 * to the address that was checked: a name that resolves differently the next time changes nothing. No redirects; the
 * reply is read up to a limit.
 */
import { lookup as dnsLookup } from 'node:dns'
import { request } from '../node-http.ts'
import type { IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { type LookupFunction, isIP } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { isLoopbackAddress, isPublicAddress, receiverProblem } from './address-rules.ts'

export interface OutboundMessage {
  readonly url: string
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'HEAD' | 'GET'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface OutboundLimits {
  readonly timeoutMs: number
  /** Of the reply; the rest is not read. */
  readonly replyBytes: number
  /** Staging and tests: a receiver on this machine, without TLS. */
  readonly mayBeLocal: boolean
  /** Instead of the resolver of the system; for tests. */
  readonly resolve?: typeof dnsLookup | undefined
}

export interface OutboundReply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Buffer
  /** False: it was cut off, or is longer than was asked for. */
  readonly isWhole: boolean
}

export interface OutboundFailure {
  /** Without the URL or a header, which may hold secrets. */
  readonly failure: string
}

const REFUSED_ADDRESS = 'the address of the receiver is not public'

const mayConnect = (address: string, mayBeLocal: boolean): boolean =>
  isPublicAddress(address) || (mayBeLocal && isLoopbackAddress(address))

/** Refuses a name if any of its addresses is not allowed. */
const checkedLookup =
  ({ mayBeLocal, resolve = dnsLookup }: OutboundLimits): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (failure, addresses) => {
      const [first] = addresses ?? []
      if (failure || !first) return callback(failure ?? new Error('no address'), '', 0)
      if (!addresses.every(({ address }) => mayConnect(address, mayBeLocal)))
        return callback(new Error(REFUSED_ADDRESS), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }

const describeFailure = ({ message, code }: NodeJS.ErrnoException): string =>
  message === REFUSED_ADDRESS ? message : (code ?? 'the connection failed')

export function postMessage(
  message: OutboundMessage,
  limits: OutboundLimits,
): Promise<OutboundReply | OutboundFailure> {
  const { url: text, method = 'POST', headers, body } = message
  const problem = receiverProblem(text, limits.mayBeLocal)
  if (problem !== undefined) return Promise.resolve({ failure: `the URL of the receiver ${problem}` })
  const url = new URL(text)
  const options = urlToHttpOptions(url)
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    let isSettled = false
    const settle = (result: OutboundReply | OutboundFailure) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(deadline)
      resolve(result)
      outgoing.destroy()
    }
    const outgoing = (url.protocol === 'https:' ? secureRequest : request)({
      ...options,
      method,
      headers: { ...headers, host: url.host, 'content-length': String(body.length), connection: 'close' },
      agent: false,
      // An address in the URL is not resolved; it was checked with the URL.
      ...(isIP(host) === 0 ? { lookup: checkedLookup(limits) } : {}),
    })
    // One limit for all of it: a receiver that sends one byte a second must not hold up the others.
    const deadline = setTimeout(() => settle({ failure: `no reply within ${limits.timeoutMs} ms` }), limits.timeoutMs)
    outgoing.on('error', (failure) => settle({ failure: describeFailure(failure) }))
    outgoing.on('response', (incoming) => readReply(incoming, limits.replyBytes, settle))
    outgoing.end(body)
  })
}

/** A reply that is cut off or too long still has its status; the rest of its body is not needed. */
function readReply(
  incoming: IncomingMessage,
  bytesMax: number,
  settle: (result: OutboundReply | OutboundFailure) => void,
): void {
  const parts: Buffer[] = []
  let length = 0
  const finish = () =>
    settle({
      status: incoming.statusCode ?? 0,
      retryAfter: incoming.headers['retry-after'],
      body: Buffer.concat(parts).subarray(0, bytesMax),
      isWhole: incoming.complete,
    })
  incoming.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length >= bytesMax) finish()
  })
  incoming.on('end', finish)
  incoming.on('error', finish)
}
