/** What the thread that fetches and the service tell each other. */
import type { FetchSettings } from './settings.ts'

export interface FetchLimits {
  /** Of one file. */
  readonly fileBytes: number
  readonly mailBytes: number
  readonly filesPerMail: number
  readonly itemsPerRound: number
  readonly connectMs: number
  /** Of one mail or file. */
  readonly itemMs: number
  readonly roundMs: number
}

export interface FetchTask {
  readonly settings: FetchSettings
  readonly mode: 'test' | 'fetch'
  /** Mails and files that were already dealt with. */
  readonly known: ReadonlySet<string>
  /** Left alone in this round. */
  readonly passed: ReadonlySet<string>
  readonly limits: FetchLimits
  /** Epoch milliseconds. */
  readonly now: number
}

/** A mail with its attachments, or one file of a folder. */
export interface FetchedItem {
  /** The same for the same mail or file. */
  readonly key: string
  /** The subject of a mail, or the name of a file. */
  readonly label: string
  /** Of a mail. It may be forged. */
  readonly sender?: string
  /** Whether the sender was checked: by the own mail server, or by the host key of SFTP. */
  readonly isProven: boolean
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array; readonly writtenAt: number }[]
  /** Why nothing, or not everything, of it can be used. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[]
}

export type FromThread =
  | { readonly begin: { readonly key: string; readonly label: string } }
  /** Asks to store it. The answer is its key; only then it is marked or moved. */
  | { readonly item: FetchedItem }
  | { readonly tested: readonly string[] }
  | { readonly failed: string }
  | { readonly done: true }
