/** Adding, rotating and revoking keys: by an owner over the interface, or by whoever runs the server. */
import { PEOPLE_MAX } from '../../contract/limits.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { type Outcome, accept, catchRefusal, refuse, RefusedError } from '../../kernel/outcome.ts'
import type { PersonRole } from '../../kernel/person.ts'
import type { Tx } from '../../store/store.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context, WriteContext } from '../../context.ts'
import { PEOPLE_CHANNEL } from './directory.ts'
import { nameProblem, newKey, newLinkCode, newPersonId, secretHash } from './key.ts'
import {
  countOwners,
  countPeopleChange,
  findPerson,
  findPersonByName,
  insertLink,
  insertPerson,
  listUnrevoked,
  markRevoked,
  replaceKey,
} from './records.ts'
import type { StoredPerson } from './records.ts'
import { LAST_OWNER, personEvent } from './texts.ts'

const LINK_MS = 10 * MINUTE

type Deps = WriteContext & { readonly config: Pick<Context['config'], 'publicUrl'> }

export interface NewPerson {
  readonly name: string
  readonly role: PersonRole
  readonly expiresAt: number | undefined
  readonly rateLimitPerMinute?: number | undefined
  /** The owner agrees in advance to what the rules allow: a program need not ask for each purchase. */
  readonly isAutonomous?: boolean | undefined
  /** A program renews its key before it expires, and may until then. */
  readonly renewsUntil?: number | undefined
}

/** The key and the link are in no other place: the store has their hashes. */
export interface PersonWithKey {
  readonly person: StoredPerson
  readonly key: string
  readonly signInUrl: string | undefined
}

/** Who did it, in events: the caller of the request, or the user on the server. */
const actorName = (hostActor: string | undefined): string => hostActor ?? currentCaller()?.by?.name ?? 'unknown'

export async function addPerson(ctx: Deps, person: NewPerson, hostActor?: string): Promise<Outcome<PersonWithKey>> {
  const problem = nameProblem(person.name)
  if (problem !== undefined) return refuse('invalid', problem, '$.name')
  if (person.isAutonomous && person.role !== 'operator')
    return refuse('invalid', 'Only a key with the role operator can be autonomous', '$.autonomous')
  return addKey(ctx, person, hostActor)
}

/** A key of the service itself, under one of the names that nobody else may have. Nobody gets to know it. */
export const addServiceKey = async (ctx: Deps, name: string): Promise<Outcome<void>> => {
  const added = await addKey(ctx, { name, role: 'operator', expiresAt: undefined }, name)
  return added.ok ? accept(undefined) : added
}

async function addKey(
  ctx: Deps,
  { name, role, expiresAt, rateLimitPerMinute, isAutonomous = false, renewsUntil }: NewPerson,
  hostActor: string | undefined,
): Promise<Outcome<PersonWithKey>> {
  const now = ctx.clock.now()
  if (expiresAt !== undefined && expiresAt <= now) return refuse('invalid', 'This time has passed', '$.expires_at')
  const key = newKey()
  const person: StoredPerson = {
    id: newPersonId(),
    name,
    role,
    keyHash: secretHash(key),
    keyedAt: now,
    createdAt: now,
    lastUsedAt: undefined,
    expiresAt,
    revokedAt: undefined,
    rateLimitPerMinute,
    isAutonomous,
    renewsUntil,
  }
  return changePeople(ctx, async (tx) => {
    if (await findPersonByName(tx, name))
      throw new RefusedError(refuse('not_editable', `There is already a key named "${name}"`, '$.name').refusal)
    if ((await listUnrevoked(tx)).length >= PEOPLE_MAX)
      throw new RefusedError(refuse('not_editable', `There are already ${PEOPLE_MAX} keys. Revoke some first`).refusal)
    await insertPerson(ctx, tx, person, hostActor)
    await recordEvent(
      ctx,
      tx,
      personEvent(isAutonomous ? 'autonomous_added' : 'person_added', person, actorName(hostActor)),
    )
    return { person, key, signInUrl: await createLink(ctx, tx, person) }
  })
}

/** A new key under the same name. The old one is refused at once; its sign-ins end, because they are bound to it. */
export async function rotateKey(
  ctx: Deps,
  name: string,
  { expiresAt }: { readonly expiresAt?: number | undefined },
  hostActor?: string,
): Promise<Outcome<PersonWithKey>> {
  const key = newKey()
  const now = ctx.clock.now()
  return changePeople(ctx, async (tx) => {
    const known = await findPersonByName(tx, name)
    if (!known) throw new RefusedError(refuse('not_found', `No key named "${name}"`).refusal)
    // A key that was created for 90 days gets 90 days again.
    const lifetime = known.expiresAt === undefined ? undefined : known.expiresAt - known.keyedAt
    const expires = expiresAt ?? (lifetime === undefined ? undefined : now + lifetime)
    const person = { ...known, keyHash: secretHash(key), keyedAt: now, expiresAt: expires }
    await replaceKey(ctx, tx, person.id, { hash: person.keyHash, at: now, expiresAt: expires }, hostActor)
    await recordEvent(ctx, tx, personEvent('person_key_rotated', person, actorName(hostActor)))
    return { person, key, signInUrl: await createLink(ctx, tx, person) }
  })
}

/** A new key for a program that renews its own; undefined when it was revoked. No event: who may do what does not change. */
export async function renewKey(
  ctx: Deps,
  id: string,
  { expiresAt, renewsUntil }: { readonly expiresAt: number; readonly renewsUntil: number },
): Promise<Outcome<string | undefined>> {
  const key = newKey()
  return changePeople(ctx, async (tx) => {
    const person = await findPerson(tx, id)
    if (!person || person.revokedAt !== undefined) return undefined
    const at = ctx.clock.now()
    await replaceKey(ctx, tx, id, { hash: secretHash(key), at, expiresAt, renewsUntil }, person.name)
    return key
  })
}

/** Revoking twice changes nothing. `last`: also the last owner, after which only the server can make another. */
export async function revokePerson(
  ctx: Deps,
  id: string,
  { last = false }: { readonly last?: boolean } = {},
  hostActor?: string,
): Promise<Outcome<StoredPerson>> {
  const now = ctx.clock.now()
  return changePeople(ctx, async (tx) => {
    const person = await findPerson(tx, id)
    if (!person) throw new RefusedError(refuse('not_found', `No key "${id}"`).refusal)
    if (person.revokedAt !== undefined) return person
    const worksNow = person.expiresAt === undefined || person.expiresAt > now
    if (!last && person.role === 'owner' && worksNow && (await countOwners(tx, now)) <= 1)
      throw new RefusedError(refuse('not_editable', LAST_OWNER).refusal)
    await markRevoked(ctx, tx, id, now, hostActor)
    await recordEvent(ctx, tx, personEvent('person_revoked', person, actorName(hostActor)))
    return { ...person, revokedAt: now }
  })
}

/** Every change of people, one after the other. */
export const changePeople = <T>(ctx: Deps, work: (tx: Tx) => Promise<T>): Promise<Outcome<T>> =>
  catchRefusal(async () => {
    const result = await ctx.store.transaction(async (tx) => {
      // Locks, so that of two calls at once one sees what the other did.
      await countPeopleChange(tx)
      return work(tx)
    })
    ctx.store.notify(PEOPLE_CHANNEL)
    return accept(result)
  })

/** In the fragment, which browsers do not send: it is in no log of a server or proxy. */
async function createLink(ctx: Deps, tx: Tx, { id, role, keyHash }: StoredPerson): Promise<string | undefined> {
  if (role === 'bridge') return undefined
  const code = newLinkCode()
  const now = ctx.clock.now()
  await insertLink(tx, { hash: secretHash(code), person: id, keyHash, expiresAt: now + LINK_MS }, now)
  return `${ctx.config.publicUrl}/signin#${code}`
}
