/** What an adapter's folder exports, so that a connection of VENDORS_FILE can be checked and opened by name. */
import type { Clock } from '../kernel/clock.ts'
import type { Namespace, Role } from '../kernel/ids.ts'
import type { AdapterOptions, Closable } from './adapter-options.ts'
import type { Vendor, VendorCapability } from './contract.ts'
import type { VendorMemory } from './memory.ts'

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
  readonly clock: Clock
  /** Folders and files in settings are relative to the folder of VENDORS_FILE. */
  resolvePath(path: string): string
  /**
   * Sales older than the last ones have appeared or changed: the ledger is read again from this time on (epoch
   * milliseconds; absent: all of it) within half a minute. May be called while the ledger is being read.
   */
  changed(fromMs?: number): void
}

export interface OpenedAdapter {
  readonly vendor: Vendor & Closable
  readonly capabilities: readonly VendorCapability[]
}

/** `Settings`: the connection without the basics, as its `check` accepted it, with the secrets in place of their references. */
export interface AdapterModule<Settings = unknown> {
  /** As `adapter` names it in VENDORS_FILE. Two modules may share a name when their roles differ. */
  readonly adapter: string
  readonly role: Role
  /** Members that hold secrets, as paths: `token`, `order.smtp`. They are `{env}` or `{file}` in the file, text in `check` and `open`. */
  readonly secrets: readonly string[]
  /** Names every problem: `token is missing`, `columns.sku must be text`. `settingsCheck` builds one from a schema. */
  check(
    settings: unknown,
    connection: ConnectionBasics,
  ): { readonly ok: true; readonly settings: Settings } | CheckFailure
  open(settings: Settings, needs: AdapterNeeds): OpenedAdapter
}

export interface CheckFailure {
  readonly ok: false
  readonly problems: readonly string[]
}
