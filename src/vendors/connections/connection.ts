/** A connection: an adapter with its settings, under a namespace. Any number of them, also several of one adapter. */
import type { MachineCredentials, SupplyCredentials } from '../../config.ts'
import { type Namespace, parseNamespace } from '../../kernel/ids.ts'
import { ACME_MACHINE, ACME_SUPPLY } from '../acme/modules.ts'
import type { AdapterModule, ConnectionBasics } from '../adapter-module.ts'
import type { FetchSettings } from '../fetch/settings.ts'

export interface Connection {
  readonly basics: ConnectionBasics
  readonly module: AdapterModule
  /** As the module's `check` accepted them, secrets included: never logged. */
  readonly settings: unknown
  /** Put before the platform's machine ids, to keep two platforms with the same ids apart. */
  readonly idPrefix: string
  /** Paths in the settings are relative to this folder. */
  readonly folder: string
  /** Of a connection that people change while the service runs: it is opened anew when this differs. */
  readonly revision?: string
  /** It states no time zone of its own: that of the deployment holds, also when it changes. */
  readonly followsZone?: boolean
  /** Where it fetches its files by itself; secrets included. */
  readonly fetch?: FetchSettings
}

/** The namespaces of ACME_*. They are planned while they are not connected. */
export const ACME_NAMESPACES = ['acme-supply', 'acme-machine'].map((text) => parseNamespace(text) as Namespace)

export interface AcmeUpstreams {
  readonly acmeSupply?: SupplyCredentials | undefined
  readonly acmeMachine?: MachineCredentials | undefined
  readonly currency?: string
  readonly timeZone?: string
}

/** The connections of ACME_*, and those to the simulated vendors of staging. */
export function acmeConnections(upstreams: AcmeUpstreams): readonly Connection[] {
  const { acmeSupply, acmeMachine, currency = 'CNY', timeZone = 'Asia/Shanghai' } = upstreams
  const connection = (namespace: string, module: AdapterModule, settings: unknown): Connection => ({
    basics: { namespace: namespace as Namespace, currency, timeZone, isReadOnly: false },
    module,
    settings,
    idPrefix: '',
    folder: '.',
    followsZone: true,
  })
  return [
    ...(acmeSupply ? [connection('acme-supply', ACME_SUPPLY, acmeSupply)] : []),
    ...(acmeMachine ? [connection('acme-machine', ACME_MACHINE, acmeMachine)] : []),
  ]
}

/** Where the connection's server is, for adapters over HTTP. */
export function upstreamUrl({ settings }: Connection): string | undefined {
  const { url } = (settings ?? {}) as { readonly url?: unknown }
  return typeof url === 'string' && URL.canParse(url) ? url : undefined
}
