/** The files of a folder and its subfolders that are new or have changed since the last call. */
import type { Stats } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { SECOND } from '../../kernel/clock.ts'
import { chunk, mapConcurrent } from '../../lib/concurrency.ts'
import type { DexFile } from './file-reading.ts'

/** A file that was written a moment ago may still grow. */
const SETTLED_AFTER_MS = 2 * SECOND
/** A DEX file has some 20 KB; what is far larger is none. */
const BYTES_MAX = 4 * 1024 * 1024
const CONCURRENCY = 8
/** Read together, so that the contents of a large folder are never in memory at once. */
const BATCH_SIZE = 200

export class ChangedFiles {
  readonly #folder: string
  readonly #clock: Clock
  /** Size and time of each file that was handed over. */
  readonly #seen = new Map<string, string>()

  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
  }

  /** Throws when the folder cannot be read. Files that vanish meanwhile, or cannot be read, are left out. */
  async *next(): AsyncGenerator<readonly DexFile[]> {
    const names = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    this.#forgetRemoved(new Set(paths))
    for (const batch of chunk(paths, BATCH_SIZE)) {
      const files = await mapConcurrent(CONCURRENCY, batch, (path) => this.#readChanged(path))
      yield files.flatMap((file) => file ?? [])
    }
  }

  /** All files are handed over again. */
  reset(): void {
    this.#seen.clear()
  }

  async #readChanged(path: string): Promise<DexFile | undefined> {
    try {
      const stats = await stat(path)
      const state = `${stats.size} ${stats.mtimeMs}`
      if (this.#seen.get(path) === state || !this.#isReadable(stats)) return undefined
      const bytes = await readFile(path)
      this.#seen.set(path, state)
      return { name: basename(path), bytes, writtenAt: Math.floor(stats.mtimeMs) }
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
