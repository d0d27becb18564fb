/** What is used of the two libraries, so that only this is relied on. */
declare module 'imapflow' {
  import type { EventEmitter } from 'node:events'

  export interface MessagePart {
    readonly type?: string
    readonly part?: string
    readonly size?: number
    readonly encoding?: string
    readonly parameters?: Readonly<Record<string, string>>
    readonly dispositionParameters?: Readonly<Record<string, string>>
    readonly childNodes?: readonly MessagePart[]
  }

  interface Fetched {
    readonly envelope?: { readonly subject?: string; readonly from?: readonly { readonly address?: string }[] }
    readonly size?: number
    readonly internalDate?: Date | string
    readonly bodyStructure?: MessagePart
    readonly headers?: Buffer
    readonly bodyParts?: ReadonlyMap<string, Buffer>
  }

  interface ByUid {
    readonly uid: true
  }

  export class ImapFlow extends EventEmitter {
    constructor(options: object)
    readonly usable: boolean
    readonly mailbox: { readonly uidValidity: bigint } | false
    connect(): Promise<void>
    logout(): Promise<void>
    close(): void
    list(): Promise<readonly { readonly path: string }[]>
    mailboxOpen(path: string): Promise<unknown>
    search(query: { readonly seen: boolean; readonly from: string }, options: ByUid): Promise<readonly number[] | false>
    fetchOne(uid: string, query: object, options: ByUid): Promise<Fetched | false>
    messageFlagsAdd(uid: string, flags: readonly string[], options: ByUid): Promise<boolean>
    messageMove(uid: string, folder: string, options: ByUid): Promise<unknown>
  }
}

declare module 'ssh2' {
  import type { EventEmitter } from 'node:events'
  import type { Server as NetServer } from 'node:net'

  type Done<T> = (error: Error | undefined | null, value: T) => void

  export interface FileEntry {
    readonly filename: string
    readonly attrs: { readonly size: number; /** Seconds. */ readonly mtime: number; isFile(): boolean }
  }

  export interface SftpSession {
    readdir(path: string, done: Done<readonly FileEntry[]>): void
    rename(from: string, to: string, done: Done<void>): void
    createReadStream(path: string): AsyncIterable<Buffer>
  }

  export class Client extends EventEmitter {
    connect(options: { readonly hostVerifier: (key: Buffer) => boolean; readonly [option: string]: unknown }): void
    sftp(done: Done<SftpSession>): void
    end(): void
  }

  /** For tests. */
  export const Server: new (options: object, onClient: (client: EventEmitter) => void) => NetServer
  export const utils: {
    generateKeyPairSync(type: 'ed25519'): { readonly private: string; readonly public: string }
    parseKey(key: string): { getPublicSSH(): Buffer }
    readonly sftp: {
      readonly OPEN_MODE: Readonly<Record<string, number>>
      readonly STATUS_CODE: Readonly<Record<string, number>>
    }
  }
}
