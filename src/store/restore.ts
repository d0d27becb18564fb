/** A backup takes the place of the embedded database. Nothing is removed: the present files are kept beside it. */
import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from './migrations/index.ts'
import { createPrivate } from './private-files.ts'

/** The restore is refused, with a sentence that says why; the database is as it was. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused'
}

export interface Restored {
  /** Where the former database went; undefined when there was none. */
  readonly kept: string | undefined
  /** The former database could not be read, so nobody could tell whether a service had it open. */
  readonly unreadable: boolean
}

const sync = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** `stamp` names the files that are kept. */
export function restoreDatabase(backup: string, database: string, stamp: string): Restored {
  if (!existsSync(backup)) throw new RestoreRefused(`${backup} does not exist`)
  const incoming = `${database}.restoring-${stamp}`
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  createPrivate(incoming)
  try {
    copyFileSync(backup, incoming)
    // A copy made by hand may have its last changes in the file beside it.
    if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${incoming}-wal`)
    checkBackup(backup, incoming)
    sync(incoming)
    const unreadable = existsSync(database) && !closeOff(database)
    const kept = existsSync(database) ? `${database}.before-restore-${stamp}` : undefined
    if (kept !== undefined)
      for (const part of ['', '-wal', '-shm'])
        if (existsSync(`${database}${part}`)) renameSync(`${database}${part}`, `${kept}${part}`)
    renameSync(incoming, database)
    sync(dirname(database))
    return { kept, unreadable }
  } finally {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${incoming}${part}`, { force: true })
  }
}

/** The copy is whole, is ours, and of no later version; afterwards it is one file. */
function checkBackup(backup: string, copy: string): void {
  let names: string[]
  try {
    const database = new DatabaseSync(copy)
    try {
      const verdict = database.prepare('pragma integrity_check').get() as { integrity_check: string }
      if (verdict.integrity_check !== 'ok') throw new Error(verdict.integrity_check)
      names = (database.prepare('select name from migration').all() as { name: string }[]).map(({ name }) => name)
      database.exec('pragma journal_mode = delete')
    } finally {
      database.close()
    }
  } catch (failure) {
    throw new RestoreRefused(`${backup} is no usable backup: ${(failure as Error).message}`, { cause: failure })
  }
  const newer = names.find((name) => !(name in MIGRATIONS))
  if (newer !== undefined)
    throw new RestoreRefused(`${backup} was written by a newer version of vendops (${newer}); install that version`)
}

/**
 * Leaving write-ahead mode needs the database for oneself, so it fails while a service, or anybody else, has it open; and
 * it brings everything into the one file. False when the file cannot be read at all.
 */
function closeOff(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      const { journal_mode } = database.prepare('pragma journal_mode = delete').get() as { journal_mode: string }
      if (journal_mode !== 'delete') throw inUse(file)
      database.exec('begin exclusive; rollback')
    } finally {
      database.close()
    }
    return true
  } catch (failure) {
    if (failure instanceof RestoreRefused) throw failure
    if (/locked/.test((failure as Error).message)) throw inUse(file)
    return false
  }
}

const inUse = (file: string) => new RestoreRefused(`${file} is open in another process; stop the service first`)
