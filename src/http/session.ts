/** Signing in to the console: the operator token once, then a session in the cookie `service_auth` (section 5). */
import type { CallContext, HandlersOf } from '../contract/handlers.ts'
import { SECOND } from '../kernel/clock.ts'
import { accept, refuse } from '../kernel/outcome.ts'
import { COOKIE, isCrossOrigin } from './auth.ts'
import type { Authenticator } from './auth.ts'
import { sessionValue } from './authorize.ts'
import { SESSION_MS } from './sessions.ts'
import type { Sessions } from './sessions.ts'

export function sessionHandlers({
  auth,
  sessions,
  config: { publicUrl },
}: {
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly config: { readonly publicUrl: string }
}): HandlersOf<'signIn' | 'signOut'> {
  const setCookie = (value: string, maxAgeMs: number, { secure }: CallContext) => {
    // Strict: no other site can make a browser send it. HttpOnly: no script can read it.
    const attributes = `Max-Age=${maxAgeMs / SECOND}; Path=/; HttpOnly; SameSite=Strict`
    const isSecure = secure === true || publicUrl.startsWith('https:')
    return { 'set-cookie': `${COOKIE}=${value}; ${attributes}${isSecure ? '; Secure' : ''}` }
  }
  return {
    signIn: async ({ body, context }) => {
      if (isCrossOrigin(context.headers, publicUrl))
        return refuse('forbidden', 'signing in is possible only from our own pages')
      if (!auth.matches(body.token)) return refuse('unauthorized', 'this is not the operator token', '$.token')
      const headers = setCookie(await sessions.open(), SESSION_MS, context)
      return accept({ body: { signed_in: true }, headers })
    },
    signOut: async ({ context }) => {
      const { cookie } = context.headers
      if (isCrossOrigin(context.headers, publicUrl))
        return refuse('forbidden', 'signing out is possible only from our own pages')
      const value = sessionValue({ cookie: typeof cookie === 'string' ? cookie : undefined })
      // A copy of the cookie opens nothing any more. The token itself, where the cookie holds it, stays what it is.
      if (value !== undefined) await sessions.end(value)
      return accept({ body: { signed_in: false }, headers: setCookie('', 0, context) })
    },
  }
}
