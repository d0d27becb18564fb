/** Replaces the embedded database by a backup. The replaced files are kept beside it. */
import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findRefusal } from './migrate.ts'
import { createPrivate } from './private-files.ts'

/** The restore was refused and the database is unchanged. The message says why. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused'
}

const syncToDisk = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** `stamp` becomes part of the names of the kept files. */
export function restoreDatabase(backup: string, database: string, stamp: string) {
  if (!existsSync(backup)) throw new RestoreRefused(`${backup} does not exist`)
  const incoming = `${database}.restoring-${stamp}`
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  createPrivate(incoming)
  try {
    copyFileSync(backup, incoming)
    // The last changes of a copy made by hand may be in its write-ahead log.
    if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${incoming}-wal`)
    checkBackup(backup, incoming)
    syncToDisk(incoming)
    /** It is unknown then whether a service had it open. */
    const unreadable = existsSync(database) && !checkpointAlone(database)
    const previousFile = existsSync(database) ? `${database}.before-restore-${stamp}` : undefined
    if (previousFile !== undefined)
      for (const part of ['', '-wal', '-shm'])
        if (existsSync(`${database}${part}`)) renameSync(`${database}${part}`, `${previousFile}${part}`)
    renameSync(incoming, database)
    syncToDisk(dirname(database))
    return { previousFile, unreadable }
  } finally {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${incoming}${part}`, { force: true })
  }
}

/** Checks that the copy is undamaged, a vendops database that this version can read, and makes it a single file. */
function checkBackup(backup: string, copy: string): void {
  let names: string[]
  try {
    const database = new DatabaseSync(copy)
    try {
      const result = database.prepare('pragma integrity_check').get() as { integrity_check: string }
      if (result.integrity_check !== 'ok') throw new Error(result.integrity_check)
      names = (database.prepare('select name from migration').all() as { name: string }[]).map(({ name }) => name)
      database.exec('pragma journal_mode = delete')
    } finally {
      database.close()
    }
  } catch (failure) {
    throw new RestoreRefused(`${backup} is not a usable backup: ${(failure as Error).message}`, { cause: failure })
  }
  const refusal = findRefusal(names)
  if (refusal) throw new RestoreRefused(`${backup} ${refusal.problem}: ${refusal.remedy}`)
}

/**
 * Leaving write-ahead mode needs exclusive access, so it fails while another process has the database open; and it moves
 * the log into the database file. False when the file cannot be read at all.
 */
function checkpointAlone(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      const { journal_mode } = database.prepare('pragma journal_mode = delete').get() as { journal_mode: string }
      if (journal_mode !== 'delete') throw inUseError(file)
      database.exec('begin exclusive; rollback')
    } finally {
      database.close()
    }
    return true
  } catch (failure) {
    if (failure instanceof RestoreRefused) throw failure
    if (/locked/.test((failure as Error).message)) throw inUseError(file)
    return false
  }
}

const inUseError = (file: string) => new RestoreRefused(`${file} is open in another process; stop the service first`)
