/** The id of the database, which its backups share (migration 0040). */
import type { Db } from './store.ts'

/** Undefined for a database of an earlier version that has none. */
export async function readDatabaseId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('deployment').select('value').where('name', '=', 'id').executeTakeFirst()
  return row?.value
}
