/** Writes that survive a power cut: what was written is on disk when they return. */
import { open } from 'node:fs/promises'

/** Appends (`a`), or writes in place of what is there (`w`). */
export async function writeDurably(path: string, text: string, flags: 'a' | 'w', mode?: number): Promise<void> {
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new name is on disk once its folder is. Windows cannot do this and needs no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
