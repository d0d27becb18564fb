/** File modes: the deployment's files hold purchases, prices and approvers, so only their owner may read them. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

const FOLDER = 0o700
const FILE = 0o600
const OTHERS = 0o077

/** The folder of the default `DATABASE_URL`. Folders of other names may be shared on purpose, so their mode stays. */
const DEFAULT_FOLDER = 'data'

/** Creates the file and its folder if they are missing, and removes the access of other users. */
export function ensurePrivate(file: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: FOLDER })
  if (basename(folder) === DEFAULT_FOLDER) restrictMode(folder, FOLDER)
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE))
  // SQLite creates these with the mode of the database, but does not change existing ones.
  for (const each of [file, `${file}-wal`, `${file}-shm`]) restrictMode(each, FILE)
}

/** Throws when the file exists. */
export const createPrivate = (file: string): void => closeSync(openSync(file, 'wx', FILE))

function restrictMode(path: string, mode: number = FILE): void {
  try {
    if (statSync(path).mode & OTHERS) chmodSync(path, mode)
  } catch (failure) {
    // A file of another user can be used as it is.
    const { code } = failure as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw failure
  }
}
