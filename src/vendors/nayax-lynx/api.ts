/** Calls to Lynx with a valid token: reads are repeated, writes are sent once and with a permit. */
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Failure, Result, SendPermit } from '../contract.ts'
import { succeed } from '../result.ts'
import { type UpstreamRequest, upstreamClient } from '../upstream/client.ts'
import { retryRead } from '../upstream/retry.ts'
import { type TokenCache, tokenCache } from '../upstream/token-cache.ts'
import { failureOfStatus, readAccessToken } from './reply.ts'
import type { LynxSettings } from './settings.ts'

/** What Lynx answers when a token has expired or was revoked. */
const TOKEN_REFUSED = 'HTTP 401'
/** The token is valid and lacks a permission. */
export const NOT_PERMITTED = 'HTTP 403'

export interface LynxWrite {
  readonly operation: string
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
  readonly permit: SendPermit
}

export type LynxApi = ReturnType<typeof lynxApi>

type WithoutHeaders<R> = R extends unknown ? Omit<R, 'headers' | 'readRefusal'> : never

export function lynxApi({ url, authUrl, credentials }: LynxSettings, needs: AdapterNeeds) {
  const secrets = () => [...Object.values(credentials), tokens.heldToken() ?? '']
  const upstream = upstreamClient({ ...needs, url, secrets })
  const pacing = { ...needs, withinMs: needs.timeoutMs }
  const { tokens, closeTokens } =
    'token' in credentials ? fixedToken(credentials.token) : tokenExchange(authUrl, credentials.refreshToken)

  function tokenExchange(address: string, refreshToken: string) {
    const { origin, pathname, search } = new URL(address)
    const authority = upstreamClient({ ...needs, url: origin, secrets })
    const cache = tokenCache(needs.clock, () =>
      authority.call(
        {
          operation: 'token',
          method: 'POST',
          path: pathname + search,
          headers: () => ({ authorization: `jwt ${refreshToken}` }),
          // Getting a token changes nothing at the platform, so it needs no permit.
          permit: undefined,
          readRefusal: (status, json) => failureOfStatus(status, json, { isWrite: false }),
        },
        readAccessToken,
      ),
    )
    return { tokens: cache, closeTokens: () => authority.close() }
  }

  async function send<T>(request: WithoutHeaders<UpstreamRequest>, read: (json: unknown) => Result<T>) {
    const isWrite = request.method !== 'GET'
    const sendWith = (token: string): Promise<Result<T>> =>
      upstream.call(
        {
          ...request,
          headers: () => ({ authorization: `Bearer ${token}` }),
          readRefusal: (status, json) => failureOfStatus(status, json, { isWrite }),
        },
        read,
      )
    const token = await tokens.getToken()
    if (!token.ok) return token
    const result = await sendWith(token.value)
    if (result.ok || result.reason !== 'unauthorized' || result.raw !== TOKEN_REFUSED) return result
    tokens.discard(token.value)
    const renewed = await tokens.getToken()
    if (!renewed.ok) return renewed
    return renewed.value === token.value ? result : sendWith(renewed.value)
  }

  return {
    get: <T>(operation: string, path: string, read: (json: unknown) => Result<T>) =>
      retryRead(() => send({ operation, method: 'GET', path }, read), pacing),
    /** Once: a write that was refused for its token is sent again with a new one, because nothing had happened. */
    async write<T>(
      { operation, method, path, body, permit }: LynxWrite,
      read: (json: unknown) => Result<T>,
    ): Promise<Result<T>> {
      // Getting the token is repeated like a read; the write is not.
      const token = await retryRead(() => tokens.getToken(), pacing)
      if (!token.ok) return token
      return send({ operation, method, path, body, permit, mayBeEmpty: true }, read)
    },
    async close(): Promise<void> {
      await upstream.close()
      await closeTokens()
    },
  }
}

/** A token that the operator renews: when it is refused there is no other. */
function fixedToken(token: string): { readonly tokens: TokenCache; readonly closeTokens: () => Promise<void> } {
  const tokens: TokenCache = {
    getToken: () => Promise.resolve(succeed(token)),
    discard: () => {},
    heldToken: () => token,
  }
  return { tokens, closeTokens: () => Promise.resolve() }
}

/** The failure of a read that a write needs first: nothing was sent yet, whatever the reply was. */
export const failBeforeSending = (failure: Failure): Failure =>
  failure.reason === 'unknown' ? { ...failure, reason: 'unsent' } : failure
