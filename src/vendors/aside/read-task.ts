/** What the thread that reads files is asked for. Types only. */
import type { AdapterNeeds, PreviewFile } from '../adapter-module.ts'
import type { DexFile, FileSettings } from '../eva-dts/file-reading.ts'
import type { PlanogramFormat } from '../eva-dts/planogram.ts'
import type { ReplyFileSettings } from '../sheet/inbox/read-reply-file.ts'
import type { ExportToRead } from '../sheet-machines/read-planogram-file.ts'
import type { SalesToRead } from '../sheet-machines/read-sales-export.ts'

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
  | { readonly dex: { readonly file: DexFile; readonly settings: FileSettings } }
  | { readonly planogram: { readonly bytes: Uint8Array; readonly format: PlanogramFormat } }
  | { readonly machineExport: ExportToRead }
  | { readonly sales: SalesToRead }
  | { readonly table: { readonly bytes: Uint8Array } }

/** Parts of a result that may be long, each taken in a turn of its own, and then the rest of it. */
export type ReadMessage<T> = { readonly part: unknown } | { readonly last: T }
