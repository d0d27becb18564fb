/** The id of the database, which its backups share. */
import { type Db, readFirst } from './store.ts'

/** Undefined for a database of an earlier version that has none. */
export const readDatabaseId = (db: Db): Promise<string | undefined> =>
  readFirst(db.selectFrom('deployment').select('value').where('name', '=', 'id'), ({ value }) => value)
