/** Translates errors of SQLite and the file system into the store's own. */
import { StoreUnavailable, StoreUnusable } from '../unavailable.ts'

/** https://www.sqlite.org/rescode.html, the primary codes. */
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

const RESTORE = 'Restore a backup: vendops restore FILE.'

const TRANSIENT: Readonly<Record<number, string>> = {
  [BUSY]: 'is locked by another program',
  [LOCKED]: 'is locked by another program',
  [READONLY]: 'cannot be written: the file, its folder or its file system is read-only',
  [IOERR]: 'cannot be read or written: the disk reports an error',
  [FULL]: 'cannot be written: the disk is full',
  [CANTOPEN]: 'cannot be opened: check that its folder exists and that this user may write to it',
}

const DAMAGED: Readonly<Record<number, string>> = {
  [CORRUPT]: `is damaged. ${RESTORE}`,
  [NOTADB]: `is not an SQLite database, or is damaged. ${RESTORE}`,
}

interface SqliteError extends Error {
  readonly code: 'ERR_SQLITE_ERROR'
  readonly errcode: number
}

const isSqliteError = (failure: unknown): failure is SqliteError =>
  failure instanceof Error && (failure as Partial<SqliteError>).code === 'ERR_SQLITE_ERROR'

/** Returns errors of statements, constraints and our own code unchanged. */
export function toSqliteFailure(file: string, failure: unknown): unknown {
  if (!isSqliteError(failure)) return failure
  const primary = failure.errcode & 0xff
  const transient = TRANSIENT[primary]
  if (transient !== undefined) return new StoreUnavailable(`The database ${file} ${transient}.`, { cause: failure })
  const damaged = DAMAGED[primary]
  return damaged === undefined ? failure : new StoreUnusable(`The database ${file} ${damaged}`, { cause: failure })
}

/** At the start no failure is transient: the operator who starts the service can repair it. */
export function toOpenFailure(file: string, failure: unknown): unknown {
  const known = toSqliteFailure(file, failure)
  if (known instanceof StoreUnavailable) return new StoreUnusable(known.message, { cause: failure })
  const { syscall, code, path } = failure as NodeJS.ErrnoException
  return syscall === undefined
    ? known
    : new StoreUnusable(`The database ${file} cannot be opened: ${code} at ${path ?? file}.`, { cause: failure })
}
