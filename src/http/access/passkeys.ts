/** Passkeys of who is signed in to the console, and the challenges for signing in with one. */
import type { CallContext, HandlersOf } from '../../contract/handlers.ts'
import type { PasskeyEntry } from '../../contract/shapes/passkeys.ts'
import type { Context } from '../../context.ts'
import { MINUTE, rfc3339 } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import {
  type StoredPasskey,
  addPasskey,
  listPasskeysOf,
  newPersonId,
  offerChallenge,
  removePasskey,
} from '../../rules/people/index.ts'
import { isCrossOrigin } from './auth.ts'
import { sessionValue } from './authorize.ts'
import type { Sessions } from './sessions.ts'

/** A stolen cookie is older: with it nobody adds a passkey that stays when the session ended. */
const FRESH_SIGN_IN_MS = 10 * MINUTE

export function passkeyHandlers(
  ctx: Pick<Context, 'store' | 'clock' | 'config'> & { readonly sessions: Sessions },
): HandlersOf<'startPasskey' | 'listPasskeys' | 'offerPasskey' | 'addPasskey' | 'removePasskey'> {
  const { store, clock, config, sessions } = ctx
  const { publicUrl } = config

  const view = ({ id, name, createdAt, lastUsedAt }: StoredPasskey): PasskeyEntry => ({
    id,
    name,
    created_at: rfc3339(createdAt, config.timeZone),
    last_used_at: lastUsedAt === undefined ? null : rfc3339(lastUsedAt, config.timeZone),
  })

  /** The person who signed in just now, in this browser. Programs present a key with each call, and no person. */
  async function freshPerson({ headers }: CallContext): Promise<Outcome<string>> {
    const { authorization, cookie } = headers
    const value =
      authorization === undefined
        ? sessionValue({ cookie: typeof cookie === 'string' ? cookie : undefined })
        : undefined
    const session = value === undefined ? undefined : await sessions.find(value)
    const person = session?.key?.identity.keyId
    if (!session || person === undefined)
      return refuse('forbidden', 'Only a person who is signed in to the console can have a passkey')
    if (clock.now() - session.openedAt > FRESH_SIGN_IN_MS)
      return refuse('confirmation_required', 'This sign-in is older than ten minutes. Sign in again first', '$')
    return accept(person)
  }

  return {
    startPasskey: async ({ body, context }) => {
      if (isCrossOrigin(context.headers, publicUrl)) return refuse('forbidden', 'Only allowed from this site')
      const person = body.purpose === 'first_owner' ? newPersonId() : undefined
      const offered = await offerChallenge(ctx, body.purpose, person)
      return offered.ok ? accept({ body: challengeView(offered.value) }) : offered
    },
    listPasskeys: async ({ context: { by } }) => {
      const own = by?.keyId === undefined ? [] : await listPasskeysOf(store.db, by.keyId)
      return accept({ body: { passkeys: own.map(view) } })
    },
    offerPasskey: async ({ context }) => {
      const person = await freshPerson(context)
      if (!person.ok) return person
      const offered = await offerChallenge(ctx, 'add', person.value)
      if (!offered.ok) return offered
      const own = await listPasskeysOf(store.db, person.value)
      return accept({ body: { ...challengeView(offered.value), known: own.map(({ credential }) => credential) } })
    },
    addPasskey: async ({ body, context }) => {
      const person = await freshPerson(context)
      if (!person.ok) return person
      const added = await addPasskey(ctx, person.value, body)
      return added.ok ? accept({ body: view(added.value) }) : added
    },
    removePasskey: async ({ params, context: { by } }) => {
      if (by?.keyId === undefined) return refuse('not_found', `No passkey "${params.id}"`)
      const removed = await removePasskey(ctx, by.keyId, params.id)
      if (!removed.ok) return removed
      await sessions.endOfPasskey(params.id)
      return accept({ body: view(removed.value) })
    },
  }
}

const challengeView = (offered: {
  readonly challenge: string
  readonly id: string
  readonly origin: string
  readonly userHandle: string | undefined
}) => ({
  challenge: offered.challenge,
  rp_id: offered.id,
  origin: offered.origin,
  ...(offered.userHandle === undefined ? {} : { user_id: offered.userHandle }),
})
