/** Finds the newest file of a price list and reads it once it is complete. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND, systemClock } from '../../../kernel/clock.ts'

export type FoundFile = Readonly<NonNullable<Awaited<ReturnType<typeof describeFile>>>>

/** Reading takes up to a hundred times as much memory; lists of 50,000 products have 5 MB. */
const FILE_BYTES_MAX = 16 * 1024 * 1024
/** A file that was changed less than this ago may still grow, so its size is compared again after a pause. */
const RECENT_MS = SECOND
const PAUSE_MS = 100

/** A path, or a glob in the last part of one. Undefined: there is none. Throws when the folder cannot be read. */
export const findNewest = async (path: string): Promise<FoundFile | undefined> =>
  (await findFiles(path)).reduce<FoundFile | undefined>(
    (best, file) => (best && !isNewer(file, best) ? best : file),
    undefined,
  )

/** All files of a path or glob, in no particular order. */
export async function findFiles(path: string): Promise<readonly FoundFile[]> {
  const pattern = basename(path)
  const folder = dirname(path)
  const names = isGlob(pattern) ? (await readdir(folder)).filter((name) => isOfPattern(name, pattern)) : [pattern]
  const files = await Promise.all(names.map((name) => describeFile(join(folder, name))))
  return files.filter((file) => file !== undefined)
}

const isGlob = (pattern: string): boolean => /[*?[{]/.test(pattern)

/** Whether a file of this name is one of the pattern, which may be a plain name. */
export const isOfPattern = (name: string, pattern: string): boolean =>
  isGlob(pattern) ? !name.startsWith('.') && matchesGlob(name, pattern) : name === pattern

export const isNewer = (a: FoundFile, b: FoundFile): boolean =>
  a.mtimeMs === b.mtimeMs ? a.path > b.path : a.mtimeMs > b.mtimeMs

/** Undefined for what is not there or not a file; a file may also go while the folder is read. */
export async function describeFile(path: string) {
  try {
    const found = await stat(path)
    return found.isFile() ? { path, size: found.size, mtimeMs: found.mtimeMs } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const isSame = (a: FoundFile, b: FoundFile | undefined): boolean => a.size === b?.size && a.mtimeMs === b.mtimeMs

/** Whether the file has not been written to for this long, by the clock of the host, which also sets file times. */
export const isAtRest = ({ mtimeMs }: FoundFile, ms: number): boolean => systemClock.now() - mtimeMs >= ms

/** Why a file of this size is not read; also for a trial before it is used. */
export const sizeProblem = (bytes: number, most = FILE_BYTES_MAX): string | undefined =>
  bytes > most ? `the file has more than ${most / 1024 / 1024} MB` : undefined

/** Undefined while the file is still being written. */
export async function readSettled(file: FoundFile, most = FILE_BYTES_MAX): Promise<Uint8Array | undefined> {
  const problem = sizeProblem(file.size, most)
  if (problem !== undefined) throw new Error(problem)
  if (!isAtRest(file, RECENT_MS)) await pause(PAUSE_MS)
  const bytes = await readFile(file.path)
  return isSame(file, await describeFile(file.path)) && bytes.length === file.size ? bytes : undefined
}
