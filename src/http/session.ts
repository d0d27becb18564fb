/** Signing in to the console: the operator token once, then the cookie `service_auth` (section 5). */
import type { HandlersOf } from '../contract/handlers.ts'
import { accept, refuse } from '../kernel/outcome.ts'
import { COOKIE, isForeign } from './auth.ts'
import type { Authenticator } from './auth.ts'

const TWELVE_HOURS_S = 12 * 60 * 60

export function sessionHandlers({
  auth,
  config,
}: {
  readonly auth: Authenticator
  readonly config: { readonly publicUrl: string }
}): HandlersOf<'signIn' | 'signOut'> {
  // Strict: no other site can make a browser send it. HttpOnly: no script can read it.
  const attributes = `Path=/; HttpOnly; SameSite=Strict${config.publicUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    signIn: async ({ body, context }) => {
      if (isForeign(context.headers, config.publicUrl))
        return refuse('forbidden', 'signing in is possible only from our own pages')
      if (!auth.matches(body.token)) return refuse('unauthorized', 'this is not the operator token', '$.token')
      return accept({
        body: { signed_in: true },
        headers: {
          'set-cookie': `${COOKIE}=${encodeURIComponent(body.token)}; Max-Age=${TWELVE_HOURS_S}; ${attributes}`,
        },
      })
    },
    signOut: async () =>
      accept({ body: { signed_in: false }, headers: { 'set-cookie': `${COOKIE}=; Max-Age=0; ${attributes}` } }),
  }
}
