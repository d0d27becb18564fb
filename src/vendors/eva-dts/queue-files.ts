/** Audit files that come through a queue are put into the folder of the machine files, which is read as ever. */
import { createHash } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '../../lib/files.ts'
import type { StoreMessages } from '../sqs/queue.ts'
import { isFields } from '../upstream/read-json.ts'

/** The name of a file is that of its content, so a message that comes twice is one file. */
export const storeAudits =
  (folder: string): StoreMessages =>
  async (messages) => {
    const problems = new Map<string, string>()
    await mkdir(join(folder, 'queue'), { recursive: true })
    for (const { id, text } of messages) {
      if (!isAudit(text)) {
        problems.set(id, 'it is no audit file')
        continue
      }
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
      const path = join(folder, 'queue', `${hash}.json`)
      const size = await stat(path).then(
        (found) => found.size,
        () => undefined,
      )
      if (size !== Buffer.byteLength(text)) await writeDurably(path, text, 'w', 0o600)
    }
    await syncFolder(join(folder, 'queue'))
    return problems
  }

function isAudit(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text)
    return isFields(message) && typeof message['DexData'] === 'string'
  } catch {
    return false
  }
}
