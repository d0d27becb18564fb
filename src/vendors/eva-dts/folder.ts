/** The files of a folder and its subfolders that are new or have changed since the last call. */
import type { Stats } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { type Clock, DAY, HOUR, SECOND } from '../../kernel/clock.ts'
import { chunk, mapConcurrent } from '../../lib/concurrency.ts'
import type { DexFile } from './file-reading.ts'

/** With its path in the folder. */
interface FolderFile extends DexFile {
  readonly path: string
}

/** A file that was written a moment ago may still grow. */
const SETTLED_AFTER_MS = 2 * SECOND
/**
 * A file that was read and is older than this is looked at once an hour: nobody writes to it any more, and a folder of a
 * month holds thirty times as many files as are new.
 */
const RARELY_CHANGED_AFTER_MS = 2 * DAY
const LOOK_AT_OLD_EVERY_MS = HOUR
/** A DEX file has some 20 KB; what is far larger is none. */
export const BYTES_MAX = 4 * 1024 * 1024
const CONCURRENCY = 8
/** Read together, so that the contents of a large folder are never in memory at once. */
const BATCH_SIZE = 200

export class ChangedFiles {
  readonly #folder: string
  readonly #clock: Clock
  /** The files that were handed over, as they were then. */
  readonly #seen = new Map<string, { readonly size: number; readonly mtimeMs: number }>()
  #lookedAtOldMs: number | undefined

  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
  }

  /** Throws when the folder cannot be read. Files that vanish meanwhile, or cannot be read, are left out. */
  async *next(): AsyncGenerator<readonly FolderFile[]> {
    const names = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    this.#forgetRemoved(new Set(paths))
    const elapsed = this.#clock.elapsed()
    const isLookingAtOld = this.#lookedAtOldMs === undefined || elapsed - this.#lookedAtOldMs >= LOOK_AT_OLD_EVERY_MS
    if (isLookingAtOld) this.#lookedAtOldMs = elapsed
    const oldBefore = this.#clock.now() - RARELY_CHANGED_AFTER_MS
    const candidates = isLookingAtOld
      ? paths
      : paths.filter((path) => (this.#seen.get(path)?.mtimeMs ?? Infinity) > oldBefore)
    for (const batch of chunk(candidates, BATCH_SIZE)) {
      const files = await mapConcurrent(CONCURRENCY, batch, (path) => this.#readChanged(path))
      yield files.flatMap((file) => file ?? [])
    }
  }

  /** Whether the file is still there as it was handed over; by its path in the folder. */
  has(path: string): boolean {
    return this.#seen.has(join(this.#folder, path))
  }

  /** All files are handed over again. */
  reset(): void {
    this.#lookedAtOldMs = undefined
    this.#seen.clear()
  }

  async #readChanged(path: string): Promise<FolderFile | undefined> {
    try {
      const stats = await stat(path)
      const { size, mtimeMs } = stats
      const seen = this.#seen.get(path)
      if ((seen?.size === size && seen.mtimeMs === mtimeMs) || !this.#isReadable(stats)) return undefined
      const bytes = await readFile(path)
      this.#seen.set(path, { size, mtimeMs })
      return { path: relative(this.#folder, path), name: basename(path), bytes, writtenAt: Math.floor(mtimeMs) }
    } catch {
      return undefined
    }
  }

  #isReadable({ size, mtimeMs }: Stats): boolean {
    const age = this.#clock.now() - mtimeMs
    // A time in the future is a wrong clock, not a file that is being written.
    return size <= BYTES_MAX && (age >= SETTLED_AFTER_MS || age < -SETTLED_AFTER_MS)
  }

  #forgetRemoved(present: ReadonlySet<string>): void {
    for (const path of this.#seen.keys()) if (!present.has(path)) this.#seen.delete(path)
  }
}
