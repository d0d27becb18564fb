/** Free disk space and the size of the database. */
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Store } from './store.ts'

const MB = 1e6
const LOW_BYTES = 512 * MB
const LOW_SHARE = 0.05
/** Five percent of a large disk is plenty, so the share counts only up to this. */
const LOW_SHARE_BYTES_MAX = 10_000 * MB
/** SQLite needs about this much to checkpoint its journal. */
const FULL_BYTES = 64 * MB

export interface DiskSpace {
  readonly freeBytes: number
  readonly state: 'ok' | 'low' | 'full'
}

export function assessSpace(freeBytes: number, totalBytes: number): DiskSpace {
  const low = Math.max(LOW_BYTES, Math.min(totalBytes * LOW_SHARE, LOW_SHARE_BYTES_MAX))
  return { freeBytes, state: freeBytes < FULL_BYTES ? 'full' : freeBytes < low ? 'low' : 'ok' }
}

/** Undefined when the file system does not report its free space. */
export async function measureDiskSpace(folder: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return assessSpace(bavail * bsize, blocks * bsize)
  } catch {
    return undefined
  }
}

export async function measureDatabaseBytes(store: Store): Promise<number> {
  const query =
    store.kind === 'sqlite'
      ? sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
      : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
  return (await query.execute(store.db)).rows[0]?.bytes ?? 0
}
