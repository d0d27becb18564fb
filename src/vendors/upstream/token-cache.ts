/** An access token that is asked for once, however many calls need it, and again when it ages or is refused. */
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Clock } from '../../kernel/clock.ts'
import { failed, succeeded } from '../result.ts'
import type { Result } from '../contract.ts'

export interface Grant {
  readonly token: string
  readonly lifetimeSeconds: number
}

export interface TokenCache {
  current(): Promise<Result<string>>
  /** This token was refused. Another one, got meanwhile by a call beside us, stays. */
  discard(token: string): void
  /** For keeping it out of texts. */
  held(): string | undefined
}

export function tokenCache(clock: Clock, ask: () => Promise<Result<Grant>>): TokenCache {
  let held: { readonly token: string; readonly renewAt: number } | undefined
  let asking: Promise<Result<string>> | undefined

  async function renew(): Promise<Result<string>> {
    const askedAt = clock.elapsed()
    const grant = await ask()
    if (!grant.ok) {
      // The call that wanted the token was not sent; only a refusal of our credentials says more than that.
      return grant.reason === 'unauthorized' ? grant : failed('unsent', grant.message, grant)
    }
    const lifetime = grant.value.lifetimeSeconds * SECOND
    held = { token: grant.value.token, renewAt: askedAt + lifetime - Math.min(MINUTE, lifetime / 10) }
    return succeeded(grant.value.token)
  }

  return {
    current() {
      if (held && clock.elapsed() < held.renewAt) return Promise.resolve(succeeded(held.token))
      asking ??= renew().finally(() => (asking = undefined))
      return asking
    },
    discard(token) {
      if (held?.token === token) held = undefined
    },
    held: () => held?.token,
  }
}
