/** What an adapter's folder exports, so that a connection of VENDORS_FILE can be checked and opened by name. */
import type { Clock } from '../kernel/clock.ts'
import type { Namespace, Role } from '../kernel/ids.ts'
import type { AdapterOptions, Closable } from './adapter-options.ts'
import type { Result } from './contract.ts'
import type { Vendor, VendorCapability } from './registration.ts'
import type { VendorMemory } from './memory.ts'
import type { OrderJournal } from './order-journal.ts'
import type { StatedPack } from './packs.ts'

/** What every connection has, checked before its adapter looks at the rest. `id_prefix` is handled outside the adapter. */
export interface ConnectionBasics {
  readonly namespace: Namespace
  /** ISO 4217; the deployment's. */
  readonly currency: string
  /** IANA name, of the connection or of the deployment. */
  readonly timeZone: string
  /** Registers the connection without the calls that change something. */
  readonly isReadOnly: boolean
}

export interface AdapterNeeds extends Omit<AdapterOptions, 'url'> {
  readonly connection: ConnectionBasics
  readonly memory: VendorMemory
  /** Absent: the database is not kept, or nothing is ordered. */
  readonly journal?: OrderJournal
  /** What people said about packs whose size the supplier does not state for certain. Absent: nothing was said. */
  statedPacks?(): Promise<readonly StatedPack[]>
  readonly clock: Clock
  /** Folders and files in settings are relative to the folder of VENDORS_FILE. */
  resolvePath(path: string): string
  /**
   * Sales older than the last ones have appeared or changed: the ledger is read again from this time on (epoch
   * milliseconds; absent: all of it) within half a minute. May be called while the ledger is being read.
   */
  reportOlderSales(fromMs?: number): void
}

export interface OpenedAdapter {
  readonly vendor: Vendor & Closable
  readonly capabilities: readonly VendorCapability[]
  /** What no read shows and the first order would: settings that the vendor does not know. For the test read; sends nothing. */
  readonly verify?: () => Promise<Result<unknown>>
}

/** `Settings`: the connection without the basics, as its `check` accepted it, with the secrets in place of their references. */
export interface AdapterModule<Settings = unknown> {
  /** As `adapter` names it in VENDORS_FILE. Two modules may share a name when their roles differ. */
  readonly adapter: string
  /** A name of before, which files may still have. */
  readonly formerName?: string
  readonly role: Role
  /** Members that hold secrets, as paths: `token`, `order.smtp`. They are `{env}` or `{file}` in the file, text in `check` and `open`. */
  readonly secrets: readonly string[]
  /** Names every problem: `token is missing`, `columns.sku must be text`. `settingsCheck` builds one from a schema. */
  check(settings: unknown, connection: ConnectionBasics): CheckedSettings<Settings>
  open(settings: Settings, needs: AdapterNeeds): OpenedAdapter
  /** For connections that an owner makes while the service runs. Absent: they can only be in VENDORS_FILE. */
  readonly hosted?: HostedSettings<Settings>
  /** What `vendops connect` asks for, in this order; the secrets are asked for by the names of their variables. */
  readonly prompts?: readonly SettingPrompt[]
  /** What the other answers may be, from a file. */
  readonly guess?: {
    /** The setting that names it. */
    readonly file: string
    from(settings: unknown, facts: GuessFacts): Promise<GuessedAnswers>
  }
  /** What a file would become under these settings, for `vendops import --dry-run`. Sends nothing; what it remembers is discarded. */
  preview?(file: PreviewFile, settings: Settings, needs: AdapterNeeds): Promise<Preview>
}

export interface HostedSettings<Settings> {
  /** Settings that name files. Nobody states them: the service keeps what is uploaded there. */
  readonly files: readonly FilePlace[]
  /** Settings that name folders of the server, which only the server states. */
  readonly serverOnly?: readonly string[]
  /** What tells this account from another one of the same vendor; empty: the settings do not say. Never a secret. */
  account(settings: Settings): string
  /** Its planogram, where people may also state it row by row. */
  readonly planogram?: {
    /** Undefined: there is none yet. */
    read(
      bytes: Uint8Array | undefined,
      settings: Readonly<Record<string, unknown>>,
      digits: number,
    ): { readonly rows: readonly PlannedRow[]; readonly problems: number } | { readonly problem: string }
    write(rows: readonly PlannedRow[], settings: Readonly<Record<string, unknown>>, digits: number): Uint8Array
  }
  /** What a file says about the settings of its kind, with the answers so far. Large files are read beside the requests. */
  readonly propose?: {
    readonly kind: FileKind
    /** The member of the settings that it is about: `catalog`. */
    readonly path: string
    from(file: ProposalFile): Promise<FileProposal>
  }
}

/** A selection of a machine, as the platform names both. */
export interface PlannedRow {
  readonly location: string
  readonly selection: string
  readonly sku: string
  readonly title: string
  readonly barcode?: string
  readonly capacity?: number
  /** Minor units. */
  readonly price?: number
}

export interface ProposalFile {
  readonly bytes: Uint8Array
  readonly currency: string
  /** `2026-11-17` */
  readonly today: string
  /** By article: the most that a machine asks for one of a product that is linked to it, in minor units. */
  readonly sellingPrices?: ReadonlyMap<string, number>
  /** Members of the settings, and what was answered since. */
  readonly answers: Readonly<Record<string, unknown>>
}

export type FileProposal =
  | {
      readonly settings: Readonly<Record<string, unknown>>
      readonly header: readonly string[]
      readonly examples: readonly string[]
      readonly summary: string
      readonly isUsable: boolean
      readonly notes: readonly string[]
      /** The first of them, and how many there are. */
      readonly leftOut: readonly { readonly where: string; readonly reason: string }[]
      readonly leftOutCount: number
      readonly questions: readonly {
        readonly code: string
        readonly text: string
        readonly choices: readonly { readonly label: string; readonly answers: Readonly<Record<string, unknown>> }[]
      }[]
    }
  | { readonly problem: string }

export type FileKind = 'price_list' | 'reply' | 'dex' | 'sales' | 'planogram'

export interface FilePlace {
  readonly kind: FileKind
  /** Of the setting that names it: `catalog.file`. */
  readonly path: string
  /** `newest`: one file, which the next one replaces. `folder`: a folder of all. `all`: a pattern of all. */
  readonly holds: 'newest' | 'folder' | 'all'
  /** Set only where the settings have this member. */
  readonly onlyIf?: string
  /** Set only where such a file was uploaded. */
  readonly onlyIfUploaded?: true
}

export const isNamed = (
  { adapter, formerName }: Pick<AdapterModule, 'adapter' | 'formerName'>,
  name: string,
): boolean => name === adapter || name === formerName

export interface GuessFacts {
  readonly resolvePath: (path: string) => string
  readonly currency: string
  /** Of the choice that was taken last; absent: nothing was asked yet. */
  readonly said?: unknown
}

export interface GuessedAnswers {
  /** By path; used for what is not asked, and shown as the default of what is. Absent: the file told nothing, and all is asked. */
  readonly answers?: Readonly<Record<string, string>>
  /** What was found, for the person who answers. */
  readonly found?: string
  /** Why the file cannot be used; the question is asked again. */
  readonly problem?: string
  /** What the file leaves open. The first choice is proposed; after each one the file is guessed again with what it says. */
  readonly questions?: readonly GuessQuestion[]
}

export interface GuessQuestion {
  readonly text: string
  readonly choices: readonly { readonly label: string; readonly said: unknown }[]
}

export interface SettingPrompt {
  /** Of the member: `catalog.file`. */
  readonly path: string
  /** `Path of the price list` */
  readonly question: string
  /** How the answer is written into the file; absent: as text. A list is separated by commas. */
  readonly kind?: 'text' | 'number' | 'boolean' | 'list'
  readonly choices?: readonly string[]
  /** An empty answer leaves the member out. */
  readonly isOptional?: boolean
  /** What an empty answer means. */
  readonly default?: string
  /** Asked only where another question has an answer, or one of these answers. */
  readonly onlyIf?: { readonly path: string; readonly isOneOf?: readonly string[] }
  /** The answer is a folder, which has to exist. */
  readonly isFolder?: boolean
  /** Asked only where the file told nothing. */
  readonly isInGuess?: boolean
  /** Not asked by itself: guessed, or left at its default, until somebody wants to change it. */
  readonly isOnRequest?: boolean
  /** From the answer to the member, where no kind fits. What is not readable stays text, which the check names. */
  readonly parse?: (answer: string) => unknown
}

/** For adapters that read times without an offset, or count days. */
export const TIME_ZONE_PROMPT: SettingPrompt = {
  path: 'time_zone',
  question: 'Time zone of its times and days, such as America/Chicago; empty: TIMEZONE of the deployment',
  isOptional: true,
}

export interface PreviewFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** Absent: as the file system says. */
  readonly writtenAt?: number
  /** Absent: by its name or content. */
  readonly kind?: FileKind
}

export interface Preview {
  /** `184 products, 193 rows left out`; for a file that is refused whole, why. */
  readonly summary: string
  /** The file is refused whole. */
  readonly isRefused?: boolean
  /** What it becomes: products with their unit prices, readings with their sales. Texts, amounts formatted. */
  readonly tables: readonly PreviewTable[]
  readonly leftOut: readonly LeftOutRow[]
  /** About what was taken and should be looked at. */
  readonly notes?: readonly string[]
}

export interface PreviewTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Where `rows` are only the first ones. */
  readonly total?: number
}

export interface LeftOutRow {
  /** `row 12` */
  readonly where: string
  /** `no price` */
  readonly reason: string
}

export type CheckedSettings<Settings> =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Of a file that is refused whole. */
export const refusedPreview = (summary: string): Preview => ({ summary, isRefused: true, tables: [], leftOut: [] })
