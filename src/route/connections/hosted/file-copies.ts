/** Copies of the files that people brought, in the folder of each connection: adapters read them as they read any folder. */
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Queryable } from '../../../store/store.ts'
import type { FilePlace } from '../../../vendors/adapter-module.ts'
import { findHostedModule } from '../../../vendors/connections/hosted-connection.ts'
import { type StoredFile, readContent } from './file-records.ts'
import type { StoredConnection } from './records.ts'

const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700
const HASH_SHOWN = 12

/** Within the folder of the connection. A DEX file keeps its name, by which its machine may be known. */
function pathOf({ kind, holds }: FilePlace, { hash, name }: StoredFile): string {
  if (holds === 'newest') return kind
  // Names that programs use until a file is complete would be left out.
  const settled = /\.(?:tmp|part|filepart|crdownload)$|~$/i.test(name) ? `${name}.txt` : name
  const short = hash.slice(0, HASH_SHOWN)
  return kind === 'dex' ? join(kind, short, settled) : join(kind, `${short}-${settled}`)
}

/** Writes what is missing, and removes what is no longer used. */
export async function copyFiles(
  db: Queryable,
  filesDir: string,
  { namespace, adapter }: StoredConnection,
  used: readonly StoredFile[],
): Promise<void> {
  const found = findHostedModule(adapter, namespace)
  if (!('module' in found)) return
  const folder = join(filesDir, namespace)
  const wanted = new Map<string, StoredFile>()
  for (const place of found.module.hosted.files) {
    if (place.holds !== 'newest') await mkdir(join(folder, place.kind), { recursive: true, mode: FOLDER_OWNER_ONLY })
    for (const file of used) if (file.kind === place.kind) wanted.set(pathOf(place, file), file)
  }
  await mkdir(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !wanted.has(relative(folder, path))) await rm(path, { force: true })
  }
  for (const [path, file] of wanted) {
    const target = join(folder, path)
    const there = await stat(target).catch(() => undefined)
    if (there?.size === file.size && Math.round(there.mtimeMs) === file.writtenAt) continue
    const bytes = await readContent(db, file.id)
    if (!bytes) continue
    await mkdir(dirname(target), { recursive: true, mode: FOLDER_OWNER_ONLY })
    const unfinished = `${dirname(target)}/.${file.id}.tmp`
    await writeFile(unfinished, bytes, { mode: OWNER_ONLY })
    const seconds = file.writtenAt / 1000
    await utimes(unfinished, seconds, seconds)
    await rename(unfinished, target)
  }
}
