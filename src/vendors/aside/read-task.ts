/** What the thread that reads files is asked for. Types only. */
import type { AdapterNeeds, PreviewFile } from '../adapter-module.ts'
import type { ReplyFileSettings } from '../sheet/inbox/read-reply-file.ts'

export interface PreviewTask {
  readonly adapter: string
  readonly file: PreviewFile
  readonly settings: unknown
  readonly connection: AdapterNeeds['connection']
  /** Epoch milliseconds. */
  readonly now: number
  readonly timeoutMs: number
}

export type ReadTask =
  | { readonly preview: PreviewTask }
  | { readonly reply: { readonly bytes: Uint8Array; readonly settings: ReplyFileSettings } }
