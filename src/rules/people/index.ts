/** People and keys: who may call, and the operations that manage them. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import type { PersonEntry } from '../../contract/shapes/people.ts'
import { parseRfc3339, rfc3339 } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import { TOKEN_HOLDER } from '../../kernel/person.ts'
import { partOf } from '../../lib/pages.ts'
import type { Context } from '../../context.ts'
import type { KeyDirectory } from './directory.ts'
import { addPerson, revokePerson } from './manage-people.ts'
import { type StoredPerson, listPeople } from './records.ts'

const timeOrNull = (at: number | undefined, timeZone: string) => (at === undefined ? null : rfc3339(at, timeZone))

export const personView = (person: StoredPerson, timeZone: string): PersonEntry => ({
  id: person.id,
  name: person.name,
  role: person.role,
  created_at: rfc3339(person.createdAt, timeZone),
  last_used_at: timeOrNull(person.lastUsedAt, timeZone),
  // Of a key that is renewed by itself: when nobody can renew it any more.
  expires_at: timeOrNull(person.renewsUntil ?? person.expiresAt, timeZone),
  revoked_at: timeOrNull(person.revokedAt, timeZone),
  ...(person.rateLimitPerMinute === undefined ? {} : { rate_limit_per_minute: person.rateLimitPerMinute }),
  ...(person.isAutonomous ? { autonomous: true } : {}),
  ...(person.renewsUntil === undefined ? {} : { renews: true }),
})

export function peopleHandlers(
  ctx: Pick<Context, 'store' | 'clock' | 'config'> & { readonly people: KeyDirectory },
): HandlersOf<'getMe' | 'listPeople' | 'addPerson' | 'revokePerson'> {
  const { store, clock, config, people } = ctx
  return {
    async getMe({ context: { by = TOKEN_HOLDER } }) {
      await people.refresh()
      const { name, role } = by
      const separated = people.hasSeparationOfDuties()
      const now = rfc3339(clock.now(), config.timeZone)
      const { currency, env: environment, hasStoreroom: storeroom } = config
      return accept({ body: { name, role, separation_of_duties: separated, currency, environment, storeroom, now } })
    },

    async listPeople({ query }) {
      const all = (await listPeople(store.db)).map((person) => personView(person, config.timeZone))
      const part = partOf(all, query, PAGE_MAX, ({ id }) => id)
      if (!part.ok) return part
      const { entries, ...pages } = part.value
      return accept({ body: { people: entries, ...pages } })
    },

    async addPerson({ body }) {
      const { name, role, expires_at, rate_limit_per_minute: rateLimitPerMinute, autonomous: isAutonomous } = body
      const expiresAt = expires_at === undefined ? undefined : parseRfc3339(expires_at)
      if (expires_at !== undefined && expiresAt === undefined)
        return refuse('invalid', 'Not an RFC 3339 time with an offset', '$.expires_at')
      const added = await addPerson(ctx, { name, role, expiresAt, rateLimitPerMinute, isAutonomous })
      if (!added.ok) return added
      await people.refresh()
      const { person, key, signInUrl } = added.value
      const autonomous = person.isAutonomous ? { autonomous: true } : {}
      const shown = { id: person.id, name, role, key, sign_in_url: signInUrl ?? null, ...autonomous }
      // Never stored under the Idempotency-Key: the key is in no other place than this reply.
      return accept({ body: { ...shown, expires_at: timeOrNull(expiresAt, config.timeZone) }, unstored: true })
    },

    async revokePerson({ params }) {
      const revoked = await revokePerson(ctx, params.id)
      if (!revoked.ok) return revoked
      // Before the reply: from now on this instance refuses the key.
      await people.refresh()
      return accept({ body: personView(revoked.value, config.timeZone) })
    },
  }
}

// What other folders use.
export { type ActiveKey, type KeyDirectory, FRESH_MS, keyDirectory } from './directory.ts'
export { becomeFirstOwner, offerFirstOwner } from './first-owner.ts'
export { isLinkCode, newPersonId, secretHash } from './key.ts'
export { addPasskey, checkMade, offerChallenge, removePasskey, usePasskey } from './passkeys/manage.ts'
export { type StoredPasskey, listPasskeysOf } from './passkeys/records.ts'
export { type PersonWithKey, addPerson, addServiceKey, renewKey, revokePerson, rotateKey } from './manage-people.ts'
export { countOwners, findPersonByName, listPeople, chainedPeople, hasSeparationOfDuties, takeLink } from './records.ts'
export type { StoredPerson } from './records.ts'
