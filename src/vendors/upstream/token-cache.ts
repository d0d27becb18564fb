/** Holds an access token: requested once for all concurrent calls, and again when it expires or is refused. */
import { type Clock, MINUTE, SECOND } from '../../kernel/clock.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import { fail, succeed } from '../result.ts'
import type { Result } from '../contract.ts'

export interface Grant {
  readonly token: string
  readonly lifetimeSeconds: number
}

export interface TokenCache {
  getToken(): Promise<Result<string>>
  /** This token was refused. A newer one, requested meanwhile by another call, stays. */
  discard(token: string): void
  /** For removing it from texts. */
  heldToken(): string | undefined
}

export function tokenCache(clock: Clock, request: () => Promise<Result<Grant>>): TokenCache {
  let held: { readonly token: string; readonly renewAt: number } | undefined
  const renewals = new SingleFlight<'token', Result<string>>()

  async function renew(): Promise<Result<string>> {
    const requestedAt = clock.elapsed()
    const grant = await request()
    if (!grant.ok) {
      // The call itself was not sent, so any failure but refused credentials is `unsent`.
      return grant.reason === 'unauthorized' ? grant : fail('unsent', grant.message, grant)
    }
    const lifetime = grant.value.lifetimeSeconds * SECOND
    held = { token: grant.value.token, renewAt: requestedAt + lifetime - Math.min(MINUTE, lifetime / 10) }
    return succeed(grant.value.token)
  }

  return {
    getToken() {
      if (held && clock.elapsed() < held.renewAt) return Promise.resolve(succeed(held.token))
      return renewals.run('token', renew)
    },
    discard(token) {
      if (held?.token === token) held = undefined
    },
    heldToken: () => held?.token,
  }
}
