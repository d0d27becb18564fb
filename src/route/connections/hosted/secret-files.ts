/**
 * The secrets that an owner typed, each in a file of its own that only the service may read. A change writes a new file: the
 * settings in the store name it, and what nobody names any more is deleted.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../../lib/files.ts'

const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700
/** What the names of ours look like; nothing else is read or deleted. */
const NAME = /^[a-z0-9-]+\.[a-z0-9_.]+\.[0-9a-f]{16}$/

export interface SecretFiles {
  /** The name to read it by, once it is on disk. */
  write(namespace: string, path: string, secret: string): Promise<string>
  /** Throws when it is not there. */
  read(name: string): string
  /** One that is not there is none. */
  remove(names: readonly string[]): Promise<void>
}

export function secretFiles(folder: string): SecretFiles {
  const fileOf = (name: string): string => {
    if (!NAME.test(name)) throw new Error('This is not the name of a secret')
    return join(folder, name)
  }
  return {
    async write(namespace, path, secret) {
      const name = `${namespace}.${path}.${randomBytes(8).toString('hex')}`
      await mkdir(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
      const file = await open(fileOf(name), 'wx', OWNER_ONLY)
      try {
        await file.writeFile(secret)
        await file.sync()
      } finally {
        await file.close()
      }
      await syncFolder(folder)
      return name
    },
    read: (name) => readFileSync(fileOf(name), 'utf8'),
    async remove(names) {
      for (const name of names) await unlink(fileOf(name)).catch(() => {})
    },
  }
}
