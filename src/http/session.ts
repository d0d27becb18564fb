/** Sign-in to the console: exchanges the operator token for a session in the cookie `service_auth` (section 5). */
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
        return refuse('forbidden', 'Sign-in is only allowed from this site')
      if (!auth.matches(body.token)) return refuse('unauthorized', 'Wrong operator token', '$.token')
      const headers = setCookie(await sessions.open(), SESSION_MS, context)
      return accept({ body: { signed_in: true }, headers })
    },
    signOut: async ({ context }) => {
      const { cookie } = context.headers
      if (isCrossOrigin(context.headers, publicUrl))
        return refuse('forbidden', 'Sign-out is only allowed from this site')
      const value = sessionValue({ cookie: typeof cookie === 'string' ? cookie : undefined })
      // Ends the session, so that a copy of the cookie is useless. A cookie with the token itself only gets deleted.
      if (value !== undefined) await sessions.end(value)
      return accept({ body: { signed_in: false }, headers: setCookie('', 0, context) })
    },
  }
}
