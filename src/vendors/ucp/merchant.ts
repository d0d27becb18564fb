/**
 * One merchant over REST or MCP. The same eight operations either way; which one, the profile says. Reads are repeated,
 * writes are sent once.
 */
import { randomUUID } from 'node:crypto'
import { MINUTE } from '../../kernel/clock.ts'
import { parseJson } from '../../lib/json.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Failure, Result, SendPermit } from '../contract.ts'
import { fail, succeed } from '../result.ts'
import { upstreamClient } from '../upstream/client.ts'
import { type Fields, isFields, list, object, UnreadableReply } from '../upstream/read-json.ts'
import { retryRead } from '../upstream/retry.ts'
import { type MerchantProfile, readMerchantProfile } from './merchant-profile.ts'
import { errorsAmong, failureOfErrors, failureOfRpcError, failureOfStatus } from './refusals.ts'
import type { UcpSettings } from './settings.ts'

/** Merchants let profiles be cached for at least a minute. */
const PROFILE_FRESH_MS = 5 * MINUTE
const MCP_VERSION = '2025-06-18'

interface Operation {
  readonly tool: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: (id: string) => string
  /** The argument of the tool that holds the body. */
  readonly argument?: 'catalog' | 'checkout'
  readonly isRead?: true
}

const session = (id: string) => `/checkout-sessions/${encodeURIComponent(id)}`

const OPERATIONS = {
  search: { tool: 'search_catalog', method: 'POST', path: () => '/catalog/search', argument: 'catalog', isRead: true },
  lookup: { tool: 'lookup_catalog', method: 'POST', path: () => '/catalog/lookup', argument: 'catalog', isRead: true },
  create: { tool: 'create_checkout', method: 'POST', path: () => '/checkout-sessions', argument: 'checkout' },
  get: { tool: 'get_checkout', method: 'GET', path: session, isRead: true },
  update: { tool: 'update_checkout', method: 'PUT', path: session, argument: 'checkout' },
  complete: {
    tool: 'complete_checkout',
    method: 'POST',
    path: (id) => `${session(id)}/complete`,
    argument: 'checkout',
  },
  cancel: { tool: 'cancel_checkout', method: 'POST', path: (id) => `${session(id)}/cancel` },
  order: { tool: 'get_order', method: 'GET', path: (id) => `/orders/${encodeURIComponent(id)}`, isRead: true },
} as const satisfies Record<string, Operation>

export interface MerchantCall {
  readonly operation: keyof typeof OPERATIONS
  /** Of the session or the order. */
  readonly id?: string
  readonly body?: Fields
  /** Idempotency key of a write. */
  readonly key?: string
  /** Of the one write that buys. Sessions that are prepared or canceled buy nothing, so they need none. */
  readonly permit?: SendPermit
}

export type Merchant = ReturnType<typeof ucpMerchant>

type Settings = Pick<UcpSettings, 'url' | 'profile' | 'api_key' | 'bearer' | 'transport' | 'instrument'>

export function ucpMerchant(settings: Settings, needs: AdapterNeeds) {
  const { api_key: apiKey, bearer, profile: ourProfile } = settings
  const { origin } = new URL(settings.url)
  const secrets = [apiKey, bearer, settings.instrument?.credential?.token].filter((each) => each !== undefined)
  const upstream = upstreamClient({ ...needs, url: origin, secrets: () => secrets })
  const pacing = { ...needs, withinMs: needs.timeoutMs }
  const fetching = new SingleFlight<'profile', Result<MerchantProfile>>()
  let known: { readonly profile: MerchantProfile; readonly at: number } | undefined

  const credentials = {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  }

  async function fetchProfile(): Promise<Result<MerchantProfile>> {
    const path = '/.well-known/ucp'
    const request = { operation: 'profile', method: 'GET', path, readRefusal: failureOfStatus } as const
    const readProfile = (json: unknown) => succeed(readMerchantProfile(json, origin, settings.transport))
    const read = await retryRead(() => upstream.call({ ...request, headers: () => ({}) }, readProfile), pacing)
    if (!read.ok) return read
    if (read.value.statedOrigin !== known?.profile.statedOrigin && read.value.statedOrigin !== undefined)
      needs.notice?.(`The profile states the origin ${read.value.statedOrigin}; ${origin} of the settings is used`)
    known = { profile: read.value, at: needs.clock.elapsed() }
    return read
  }

  const profile = async (): Promise<Result<MerchantProfile>> =>
    known && needs.clock.elapsed() - known.at < PROFILE_FRESH_MS
      ? succeed(known.profile)
      : fetching.run('profile', fetchProfile)

  /** The merchant's version: a merchant refuses a newer one than its own. */
  const agent = ({ version }: MerchantProfile) => `profile="${ourProfile}";version="${version}"`

  function callOverRest<T>(merchant: MerchantProfile, call: MerchantCall, read: (payload: Fields) => Result<T>) {
    const { method, path } = OPERATIONS[call.operation]
    const { pathname } = new URL(merchant.endpoint)
    const request = {
      operation: call.operation,
      path: `${pathname.replace(/\/+$/, '')}${path(call.id ?? '')}`,
      ...(call.body && { body: call.body }),
      headers: () => ({
        ...credentials,
        'ucp-agent': agent(merchant),
        'request-id': randomUUID(),
        ...(call.key !== undefined && { 'idempotency-key': call.key }),
      }),
      readRefusal: failureOfStatus,
    }
    const readJson = (json: unknown) => readPayload(object(json, 'reply'), read)
    return method === 'GET'
      ? upstream.call({ ...request, method }, readJson)
      : upstream.call({ ...request, method, permit: call.permit }, readJson)
  }

  function callOverMcp<T>(merchant: MerchantProfile, call: MerchantCall, read: (payload: Fields) => Result<T>) {
    const operation: Operation = OPERATIONS[call.operation]
    const rpcId = randomUUID()
    const meta = {
      'ucp-agent': { profile: ourProfile },
      ...(call.key !== undefined && { 'idempotency-key': call.key }),
    }
    const body = {
      jsonrpc: '2.0',
      id: rpcId,
      method: 'tools/call',
      params: {
        name: operation.tool,
        arguments: {
          meta,
          ...(call.id !== undefined && { id: call.id }),
          ...(call.body && operation.argument && { [operation.argument]: call.body }),
        },
      },
    }
    return upstream.callForText(
      {
        operation: call.operation,
        method: 'POST',
        path: new URL(merchant.endpoint).pathname,
        body: JSON.stringify(body),
        contentType: 'application/json',
        headers: () => ({
          ...credentials,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MCP_VERSION,
          'ucp-agent': agent(merchant),
          'request-id': rpcId,
        }),
        permit: call.permit,
        readRefusal: readRpcRefusal,
      },
      (text) => readRpcReply(text, rpcId, read),
    )
  }

  return {
    profile,
    /** `read` gets the object that UCP describes, whatever it came in. */
    async call<T>(call: MerchantCall, read: (payload: Fields) => Result<T>): Promise<Result<T>> {
      const merchant = await profile()
      if (!merchant.ok) return merchant
      const send = merchant.value.transport === 'mcp' ? callOverMcp : callOverRest
      const { isRead }: Operation = OPERATIONS[call.operation]
      return isRead ? retryRead(() => send(merchant.value, call, read), pacing) : send(merchant.value, call, read)
    },
    close: () => upstream.close(),
  }
}

/** A reply may be an error in the form of a success. */
function readPayload<T>(payload: Fields, read: (payload: Fields) => Result<T>): Result<T> {
  const { ucp } = payload
  if (isFields(ucp) && ucp['status'] === 'error') return failureOfErrors(errorsAmong(payload['messages']))
  return read(payload)
}

export function readRpcReply<T>(text: string, rpcId: string, read: (payload: Fields) => Result<T>): Result<T> {
  const reply = findRpcReply(text, rpcId)
  const { error, result } = reply
  if (isFields(error)) return failureOfRpcError(error, 200)
  const { structuredContent, content } = object(result, 'result')
  return readPayload(isFields(structuredContent) ? structuredContent : textPayload(content), read)
}

/** Of merchants that send the object as text only. */
function textPayload(content: unknown): Fields {
  for (const part of list(content, 'content'))
    if (isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string')
      return object(JSON.parse(part['text']), 'content')
  throw new UnreadableReply('the result holds no object', 'content')
}

/** One JSON object, or a stream of events of which one is the reply. */
function findRpcReply(text: string, rpcId: string): Fields {
  const documents = text.trimStart().startsWith('{') ? [text] : eventsOf(text)
  for (const document of documents) {
    const reply = object(JSON.parse(document), 'reply')
    if (reply['id'] === rpcId || (reply['id'] === null && isFields(reply['error']))) return reply
  }
  throw new UnreadableReply('the reply has another id than the request')
}

const eventsOf = (stream: string): readonly string[] =>
  stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
    return data.length === 0 ? [] : [data.join('\n')]
  })

function readRpcRefusal(status: number, text: unknown): Failure | undefined {
  const body = typeof text === 'string' ? parseJson(text) : undefined
  return isFields(body) && isFields(body['error'])
    ? failureOfRpcError(body['error'], status)
    : failureOfStatus(status, body)
}

/** The failure of a step before the one that buys: nothing was bought, however unclear the step itself is. */
export function failBeforeBuying(failure: Failure): Failure {
  const { reason, message, raw, retryAfter } = failure
  if (reason === 'unknown' || reason === 'limited') return fail('unsent', message, { raw, retryAfter })
  return reason === 'rejected' || reason === 'unauthorized' ? { ...failure, documented: true } : failure
}
