/** People and sign-in links in the store. Every change increments a counter, which other instances compare. */
import { type Selectable, sql } from 'kysely'
import type { PersonRole } from '../../kernel/person.ts'
import { incrementCounter, readCounter } from '../../store/counter.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { type Db, type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import { type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import type { WriteContext } from '../../context.ts'
import { foldName } from './key.ts'
import { deletePasskeysOf, readPasskeyDigests } from './passkeys/records.ts'

const VERSION = 'people_version'

const fromRow = (row: Selectable<Columns<'person'>>) => ({
  id: row.id,
  name: row.name,
  role: row.role,
  keyHash: row.key_hash,
  keyedAt: row.keyed_at,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at ?? undefined,
  expiresAt: row.expires_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
  rateLimitPerMinute: row.rate_limit_per_minute ?? undefined,
  isAutonomous: row.autonomous === 1,
  renewsUntil: row.renews_until ?? undefined,
})

export type StoredPerson = Readonly<ReturnType<typeof fromRow>>

const people = (db: Queryable) => db.selectFrom('person').selectAll()

const factsOf = (person: StoredPerson, passkeys: string | undefined): Facts => ({
  name: person.name,
  role: person.role,
  key_hash: person.keyHash,
  keyed_at: person.keyedAt,
  expires_at: person.expiresAt ?? null,
  revoked_at: person.revokedAt ?? null,
  rate_limit_per_minute: person.rateLimitPerMinute ?? null,
  // Only where it is so: keys of before are in the chain without it.
  ...(person.isAutonomous ? { autonomous: 1 } : {}),
  ...(passkeys === undefined ? {} : { passkeys }),
})

/** Grows with every change of a person. */
export const readPeopleVersion = (db: Queryable): Promise<number> => readCounter(db, VERSION)

/** First in every transaction that changes people: locks the counter until the commit. */
export async function countPeopleChange(tx: Tx): Promise<void> {
  await incrementCounter(tx, VERSION)
}

/** What the chain says about a person, passkeys included. */
export const chainPerson = (ctx: WriteContext, tx: Tx, id: string, hostActor?: string): void =>
  chainChange(ctx, tx, {
    kind: 'person',
    subject: id,
    by: hostActor === undefined ? undefined : { name: hostActor, role: 'host' },
    readFacts: async (db) => {
      const person = await findPerson(db, id)
      return person && factsOf(person, (await readPasskeyDigests(db, [id])).get(id))
    },
  })

export async function insertPerson(ctx: WriteContext, tx: Tx, person: StoredPerson, hostActor?: string): Promise<void> {
  await tx
    .insertInto('person')
    .values({
      id: person.id,
      name: person.name,
      folded_name: foldName(person.name),
      role: person.role,
      key_hash: person.keyHash,
      keyed_at: person.keyedAt,
      created_at: person.createdAt,
      expires_at: person.expiresAt ?? null,
      rate_limit_per_minute: person.rateLimitPerMinute ?? null,
      autonomous: person.isAutonomous ? 1 : null,
      renews_until: person.renewsUntil ?? null,
    })
    .execute()
  chainPerson(ctx, tx, person.id, hostActor)
}

export async function replaceKey(
  ctx: WriteContext,
  tx: Tx,
  id: string,
  key: {
    readonly hash: string
    readonly at: number
    readonly expiresAt: number | undefined
    readonly renewsUntil?: number | undefined
  },
  hostActor?: string,
): Promise<void> {
  await tx
    .updateTable('person')
    .set({
      key_hash: key.hash,
      keyed_at: key.at,
      expires_at: key.expiresAt ?? null,
      renews_until: key.renewsUntil ?? null,
    })
    .where('id', '=', id)
    .execute()
  await deletePasskeysOf(tx, id)
  chainPerson(ctx, tx, id, hostActor)
}

/** False when it was revoked already. */
export async function markRevoked(
  ctx: WriteContext,
  tx: Tx,
  id: string,
  at: number,
  hostActor?: string,
): Promise<boolean> {
  const isRevoked = await changeRows(
    tx.updateTable('person').set({ revoked_at: at }).where('id', '=', id).where('revoked_at', 'is', null),
  )
  await deletePasskeysOf(tx, id)
  chainPerson(ctx, tx, id, hostActor)
  return isRevoked
}

export async function markUsed(db: Queryable, id: string, at: number): Promise<void> {
  await db
    .updateTable('person')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
    .execute()
}

export const findPerson = (db: Queryable, id: string): Promise<StoredPerson | undefined> =>
  readFirst(people(db).where('id', '=', id), fromRow)

/** The one that is not revoked. */
export const findPersonByName = (db: Queryable, name: string): Promise<StoredPerson | undefined> =>
  readFirst(people(db).where('folded_name', '=', foldName(name)).where('revoked_at', 'is', null), fromRow)

/** Oldest first; those that are not revoked are at most PEOPLE_MAX. */
export const listPeople = (db: Queryable): Promise<StoredPerson[]> =>
  readAll(people(db).orderBy('created_at').orderBy('id'), fromRow)

export const listUnrevoked = (db: Queryable): Promise<StoredPerson[]> =>
  readAll(people(db).where('revoked_at', 'is', null), fromRow)

/**
 * Whether decisions are separated from requests: as soon as an owner key was created, and from then on. Revoking or expiring
 * the last owner does not hand decisions back to the operator token.
 */
export const hasSeparationOfDuties = async (db: Queryable): Promise<boolean> =>
  (await selectAnyWith(db, { role: 'owner' })).rows.length > 0

const selectAnyWith = compiledQuery((db, { role }: { role: PersonRole }) =>
  db.selectFrom('person').select('id').where('role', '=', role).limit(sql.lit(1)),
)

/** Owners whose keys work now. */
export async function countOwners(db: Queryable, now: number): Promise<number> {
  const { owners } = await db
    .selectFrom('person')
    .select((eb) => eb.fn.countAll<number>().as('owners'))
    .where('role', '=', 'owner')
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return owners
}

export async function insertLink(
  tx: Tx,
  link: { readonly hash: string; readonly person: string; readonly keyHash: string; readonly expiresAt: number },
  now: number,
): Promise<void> {
  await tx.deleteFrom('sign_in_link').where('expires_at', '<=', now).execute()
  const { hash, person, keyHash, expiresAt } = link
  await tx.insertInto('sign_in_link').values({ hash, person, key_hash: keyHash, expires_at: expiresAt }).execute()
}

/** Deletes the link and returns the key it stands for; undefined when it was used, has expired or never existed. */
export async function takeLink(db: Db, hash: string, now: number): Promise<string | undefined> {
  const row = await db
    .deleteFrom('sign_in_link')
    .where('hash', '=', hash)
    .returning(['key_hash', 'expires_at'])
    .executeTakeFirst()
  return row && row.expires_at > now ? row.key_hash : undefined
}

const FIRST = 'first'

/** Replaces the one before: only the newest link works. */
export async function saveFirstOwnerLink(
  tx: Tx,
  { hash, expiresAt }: { readonly hash: string; readonly expiresAt: number },
): Promise<void> {
  const row = { hash, expires_at: expiresAt }
  await tx
    .insertInto('first_owner_link')
    .values({ name: FIRST, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function readFirstOwnerLink(
  tx: Tx,
): Promise<{ readonly hash: string; readonly expiresAt: number } | undefined> {
  const row = await tx.selectFrom('first_owner_link').selectAll().where('name', '=', FIRST).executeTakeFirst()
  return row && { hash: row.hash, expiresAt: row.expires_at }
}

export async function deleteFirstOwnerLink(tx: Tx): Promise<void> {
  await tx.deleteFrom('first_owner_link').where('name', '=', FIRST).execute()
}

/** For the verification of the hash chain. */
export const chainedPeople: ChainedRows = async (db, after, limit) => {
  const page = people(db)
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
  const found = await readAll(page, fromRow)
  const passkeys = await readPasskeyDigests(
    db,
    found.map(({ id }) => id),
  )
  return found.map((person) => ({ subject: person.id, facts: factsOf(person, passkeys.get(person.id)) }))
}
