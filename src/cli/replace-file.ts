/** Replaces a file in one step: a reader finds the old file or the new one, never a part. */
import { chmodSync, renameSync, writeFileSync } from 'node:fs'

export function replaceFile(path: string, text: string, mode?: number): void {
  // Always the same name: what a crash left behind is overwritten by the next call.
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode })
  if (mode !== undefined) chmodSync(draft, mode)
  renameSync(draft, path)
}
