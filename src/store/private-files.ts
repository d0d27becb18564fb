/** Files of the deployment are for its user only: they hold purchases, prices and whoever approved them. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

const FOLDER = 0o700
const FILE = 0o600
const OTHERS = 0o077

/** The folder that `DATABASE_URL` names when it is not set. Folders of other names may be shared on purpose. */
const DEFAULT_FOLDER = 'data'

/** Makes a file and its folder where they are missing, and takes them away from others where they are not. */
export function makePrivate(file: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: FOLDER })
  if (basename(folder) === DEFAULT_FOLDER) tighten(folder, FOLDER)
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE))
  // SQLite gives its companions the mode of the database, but not those that are there already.
  for (const each of [file, `${file}-wal`, `${file}-shm`]) tighten(each, FILE)
}

/** For files that must not be there yet. */
export const createPrivate = (file: string): void => closeSync(openSync(file, 'wx', FILE))

export function tighten(path: string, mode: number = FILE): void {
  try {
    if (statSync(path).mode & OTHERS) chmodSync(path, mode)
  } catch (failure) {
    // Somebody else's file can be used as it is.
    const { code } = failure as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw failure
  }
}
