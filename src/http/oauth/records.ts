/** Clients, codes and grants of OAuth in the store. Codes and tokens only as hashes. */
import type { Context } from '../../context.ts'
import type { PersonRole } from '../../kernel/person.ts'
import { type Queryable, changeRows } from '../../store/store.ts'

export interface Client {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly createdAt: number
}

export interface Code {
  readonly hash: string
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly role: PersonRole
  readonly isAutonomous: boolean
  /** The owner who agreed. */
  readonly grantedBy: string
  readonly expiresAt: number
}

export interface Grant {
  readonly id: string
  readonly person: string
  readonly clientId: string
  readonly refreshHash: string
  readonly expiresAt: number
}

/** Clients whose agreement nobody gave stay this long, and at most this many do. */
const UNUSED_MS = 60 * 60_000
const CLIENTS_MAX = 200

/** False: there are too many. */
export const insertClient = ({ store }: Pick<Context, 'store'>, client: Client): Promise<boolean> =>
  store.transaction(async (tx) => {
    const isUnused = tx
      .selectFrom('oauth_client')
      .select('id')
      .where('created_at', '<', client.createdAt - UNUSED_MS)
      .where('id', 'not in', tx.selectFrom('oauth_grant').select('client_id'))
    await tx.deleteFrom('oauth_client').where('id', 'in', isUnused).execute()
    const { count } = await tx
      .selectFrom('oauth_client')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= CLIENTS_MAX) return false
    const { id, name, redirectUris, createdAt } = client
    const row = { id, name, redirect_uris: JSON.stringify(redirectUris), created_at: createdAt }
    await tx.insertInto('oauth_client').values(row).execute()
    return true
  })

export async function findClient(db: Queryable, id: string): Promise<Client | undefined> {
  const row = await db.selectFrom('oauth_client').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const redirectUris = JSON.parse(row.redirect_uris) as readonly string[]
  return { id: row.id, name: row.name, redirectUris, createdAt: row.created_at }
}

export async function insertCode(db: Queryable, code: Code, now: number): Promise<void> {
  await db.deleteFrom('oauth_code').where('expires_at', '<=', now).execute()
  await db
    .insertInto('oauth_code')
    .values({
      hash: code.hash,
      client_id: code.clientId,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      role: code.role,
      autonomous: code.isAutonomous ? 1 : 0,
      granted_by: code.grantedBy,
      expires_at: code.expiresAt,
    })
    .execute()
}

export interface UsedCode extends Code {
  readonly isUsed: boolean
  /** Whose key it became. */
  readonly person: string | undefined
}

export async function findCode(db: Queryable, hash: string): Promise<UsedCode | undefined> {
  const row = await db.selectFrom('oauth_code').selectAll().where('hash', '=', hash).executeTakeFirst()
  return (
    row && {
      hash: row.hash,
      clientId: row.client_id,
      redirectUri: row.redirect_uri,
      challenge: row.challenge,
      role: row.role,
      isAutonomous: row.autonomous === 1,
      grantedBy: row.granted_by,
      expiresAt: row.expires_at,
      isUsed: row.used_at !== null,
      person: row.person ?? undefined,
    }
  )
}

/** Of several at once exactly one gets true. */
export const useCode = (db: Queryable, hash: string, at: number): Promise<boolean> =>
  changeRows(db.updateTable('oauth_code').set({ used_at: at }).where('hash', '=', hash).where('used_at', 'is', null))

export async function insertGrant(
  db: Queryable,
  { id, person, clientId, refreshHash, expiresAt }: Grant,
  codeHash: string,
) {
  const row = { id, person, client_id: clientId, refresh_hash: refreshHash, expires_at: expiresAt }
  await db.insertInto('oauth_grant').values(row).execute()
  await db.updateTable('oauth_code').set({ person }).where('hash', '=', codeHash).execute()
}

export async function findGrant(db: Queryable, id: string): Promise<Grant | undefined> {
  const row = await db.selectFrom('oauth_grant').selectAll().where('id', '=', id).executeTakeFirst()
  return (
    row && {
      id: row.id,
      person: row.person,
      clientId: row.client_id,
      refreshHash: row.refresh_hash,
      expiresAt: row.expires_at,
    }
  )
}

/** Of several at once exactly one gets true. */
export const replaceRefresh = (db: Queryable, grant: Grant, refreshHash: string, expiresAt: number): Promise<boolean> =>
  changeRows(
    db
      .updateTable('oauth_grant')
      .set({ refresh_hash: refreshHash, expires_at: expiresAt })
      .where('id', '=', grant.id)
      .where('refresh_hash', '=', grant.refreshHash),
  )

export async function deleteGrant(db: Queryable, person: string): Promise<void> {
  await db.deleteFrom('oauth_grant').where('person', '=', person).execute()
}

/** People whose host did not come back in time. */
export const listLapsed = async (db: Queryable, now: number): Promise<readonly string[]> =>
  (await db.selectFrom('oauth_grant').select('person').where('expires_at', '<=', now).limit(20).execute()).map(
    ({ person }) => person,
  )
