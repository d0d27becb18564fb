/** Passkeys and their challenges in the store. */
import { hash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Columns } from '../../../store/schema.ts'
import { type Db, type Queryable, type Tx, changeRows, readAll, readFirst } from '../../../store/store.ts'
import type { PasskeyPurpose } from '../../../store/tables/people.ts'

/** Of all that were not tried yet; above it the oldest go. */
const CHALLENGES_MAX = 10_000

const fromRow = (row: Selectable<Columns<'passkey'>>) => ({
  id: row.id,
  person: row.person,
  name: row.name,
  credential: row.credential,
  publicKey: row.public_key,
  counter: row.counter,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at ?? undefined,
})

export type StoredPasskey = Readonly<ReturnType<typeof fromRow>>

const passkeys = (db: Queryable) => db.selectFrom('passkey').selectAll()

export const listPasskeysOf = (db: Queryable, person: string): Promise<StoredPasskey[]> =>
  readAll(passkeys(db).where('person', '=', person).orderBy('created_at').orderBy('id'), fromRow)

export const findByCredential = (db: Queryable, credential: string): Promise<StoredPasskey | undefined> =>
  readFirst(passkeys(db).where('credential', '=', credential), fromRow)

export async function insertPasskey(tx: Tx, passkey: StoredPasskey): Promise<void> {
  const { id, person, name, credential, publicKey, counter, createdAt } = passkey
  const row = { id, person, name, credential, public_key: publicKey, counter, created_at: createdAt }
  await tx.insertInto('passkey').values(row).execute()
}

/** False when it was used meanwhile: of two at once exactly one gets true. */
export const markPasskeyUsed = (
  db: Queryable,
  { id, counter: before }: StoredPasskey,
  counter: number,
  at: number,
): Promise<boolean> =>
  changeRows(
    db.updateTable('passkey').set({ counter, last_used_at: at }).where('id', '=', id).where('counter', '=', before),
  )

export const deletePasskey = (tx: Tx, id: string): Promise<boolean> =>
  changeRows(tx.deleteFrom('passkey').where('id', '=', id))

export async function deletePasskeysOf(tx: Tx, person: string): Promise<void> {
  await tx.deleteFrom('passkey').where('person', '=', person).execute()
}

/** By person, for those who have any: what the hash chain says about them. */
export async function readPasskeyDigests(db: Queryable, people: readonly string[]): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  if (people.length === 0) return digests
  const found = await readAll(passkeys(db).where('person', 'in', people).orderBy('credential'), fromRow)
  for (const [person, own] of Map.groupBy(found, (passkey) => passkey.person)) {
    const text = JSON.stringify(own.map(({ credential, publicKey }) => [credential, publicKey]))
    digests.set(person, hash('sha256', text, 'hex'))
  }
  return digests
}

export interface Challenge {
  readonly hash: string
  readonly purpose: PasskeyPurpose
  /** Whose passkey is made. */
  readonly person: string | undefined
  readonly expiresAt: number
}

export async function insertChallenge(tx: Tx, challenge: Challenge, now: number): Promise<void> {
  await tx.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute()
  const surplus = tx
    .selectFrom('passkey_challenge')
    .select('hash')
    .orderBy('expires_at', 'desc')
    .limit(CHALLENGES_MAX)
    .offset(CHALLENGES_MAX - 1)
  await tx.deleteFrom('passkey_challenge').where('hash', 'in', surplus).execute()
  const { hash: hashed, purpose, person, expiresAt } = challenge
  await tx
    .insertInto('passkey_challenge')
    .values({ hash: hashed, purpose, person: person ?? null, expires_at: expiresAt })
    .execute()
}

/** Deletes it, whatever becomes of the try; undefined when it was tried, has expired or never existed. */
export async function takeChallenge(db: Db, hashed: string, now: number): Promise<Challenge | undefined> {
  const row = await db.deleteFrom('passkey_challenge').where('hash', '=', hashed).returningAll().executeTakeFirst()
  if (!row || row.expires_at <= now) return undefined
  return { hash: row.hash, purpose: row.purpose, person: row.person ?? undefined, expiresAt: row.expires_at }
}
