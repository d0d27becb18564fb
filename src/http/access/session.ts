/** Sign-in to the console: exchanges the operator token, a key or the code of a link for a session in the cookie `service_auth`. */
import type { CallContext, HandlersOf } from '../../contract/handlers.ts'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import {
  type ActiveKey,
  type KeyDirectory,
  becomeFirstOwner,
  checkMade,
  isLinkCode,
  secretHash,
  takeLink,
  usePasskey,
} from '../../rules/people/index.ts'
import type { Log } from '../../kernel/log.ts'
import { type Person, TOKEN_HOLDER } from '../../kernel/person.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Store } from '../../store/store.ts'
import { type Authenticator, COOKIE, isCrossOrigin } from './auth.ts'
import { sessionValue } from './authorize.ts'
import { type Sessions, PERSON_COOKIE_MS, SESSION_MS } from './sessions.ts'

export function sessionHandlers({
  auth,
  sessions,
  people,
  store,
  clock,
  log,
  config: { publicUrl },
}: {
  readonly auth: Authenticator
  readonly sessions: Sessions
  readonly people: KeyDirectory
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: { readonly publicUrl: string }
}): HandlersOf<'signIn' | 'signOut' | 'becomeFirstOwner'> {
  const setCookie = (value: string, maxAgeMs: number, { secure }: CallContext) => {
    // Strict: no other site can make a browser send it. HttpOnly: no script can read it.
    const attributes = `Max-Age=${maxAgeMs / SECOND}; Path=/; HttpOnly; SameSite=Strict`
    const isSecure = secure === true || publicUrl.startsWith('https:')
    return { 'set-cookie': `${COOKIE}=${value}; ${attributes}${isSecure ? '; Secure' : ''}` }
  }
  /** A key itself, or the key that a link stands for. A link is used up by trying it. */
  async function findKey(secret: string): Promise<ActiveKey | undefined> {
    if (!isLinkCode(secret)) return people.findKey(secret)
    const keyHash = await takeLink(store.db, secretHash(secret), clock.now())
    return keyHash === undefined ? undefined : people.findHash(keyHash)
  }

  return {
    signIn: async ({ body, context }) => {
      if (isCrossOrigin(context.headers, publicUrl))
        return refuse('forbidden', 'Sign-in is only allowed from this site')
      const { requestId, address } = context
      const logSignIn = (by: Person, how: 'link' | 'key' | 'passkey' | 'token') =>
        log.info({ request_id: requestId, by: by.name, role: by.role, how, address }, 'signed in')
      if (body.passkey !== undefined) {
        const used = await usePasskey({ store, clock, config: { publicUrl } }, body.passkey)
        const key = used && (await people.findHash(used.person.keyHash))
        if (!used || !key) {
          log.warn({ request_id: requestId, address }, 'sign-in refused')
          return refuse('unauthorized', 'This passkey is not known here, or was not verified', '$.passkey')
        }
        logSignIn(key.identity, 'passkey')
        const headers = setCookie(await sessions.open(key.hash, used.id), PERSON_COOKIE_MS, context)
        return accept({ body: { signed_in: true }, headers })
      }
      if (body.token === undefined) return refuse('missing', 'token or passkey is required', '$.token')
      if (auth.isToken(body.token)) {
        logSignIn(TOKEN_HOLDER, 'token')
        const headers = setCookie(await sessions.open(), SESSION_MS, context)
        return accept({ body: { signed_in: true }, headers })
      }
      const key = await findKey(body.token)
      if (!key) {
        log.warn({ request_id: requestId, address }, 'sign-in refused')
        return refuse('unauthorized', 'Wrong token or key, or the link was used or has expired', '$.token')
      }
      if (key.identity.role === 'bridge')
        return refuse('forbidden', 'The key of a bridge cannot sign in to the console', '$.token')
      const headers = setCookie(await sessions.open(key.hash), PERSON_COOKIE_MS, context)
      logSignIn(key.identity, isLinkCode(body.token) ? 'link' : 'key')
      return accept({ body: { signed_in: true }, headers })
    },
    becomeFirstOwner: async ({ body, context }) => {
      if (isCrossOrigin(context.headers, publicUrl)) return refuse('forbidden', 'Only allowed from this site')
      const { requestId, address } = context
      const deps = { store, clock, config: { publicUrl } }
      const made = body.passkey && (await checkMade(deps, body.passkey, 'first_owner'))
      if (made && !made.ok) return made
      const became = await becomeFirstOwner(deps, body, made?.value)
      if (!became.ok) {
        log.warn({ request_id: requestId, address }, 'first owner refused')
        return became
      }
      const { person, key, passkey } = became.value
      await people.refresh()
      log.info({ request_id: requestId, by: person.name, role: person.role, address }, 'first owner added')
      const headers = setCookie(await sessions.open(person.keyHash, passkey), PERSON_COOKIE_MS, context)
      const { id, name, role } = person
      // With a passkey nobody needs the key: nobody gets to know it.
      return accept({ body: { id, name, role, key: passkey === undefined ? key : null }, headers })
    },
    signOut: async ({ body, context }) => {
      const { cookie } = context.headers
      if (isCrossOrigin(context.headers, publicUrl))
        return refuse('forbidden', 'Sign-out is only allowed from this site')
      const value = sessionValue({ cookie: typeof cookie === 'string' ? cookie : undefined })
      // Ends the session, so that a copy of the cookie is useless. A cookie with the token itself only gets deleted.
      if (value !== undefined) await (body.everywhere ? sessions.endAll(value) : sessions.end(value))
      return accept({ body: { signed_in: false }, headers: setCookie('', 0, context) })
    },
  }
}
