/** The vendors of a deployment: live where their credentials are configured, planned where they are not. */
import assert from 'node:assert/strict'
import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseNamespace } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { acmeMachine } from './acme/machine.ts'
import { acmeSupply } from './acme/supply.ts'
import type { AdapterOptions, Closable } from './adapter-options.ts'
import { cachedMachine, cachedSupply } from './cache/cached-vendors.ts'
import type { Vendor, VendorCapability } from './contract.ts'
import { live, planned, registry } from './registry.ts'
import type { Registry } from './registry.ts'
import type { CallRecord } from './upstream/client.ts'

/** The credentials of each adapter, by the name of their setting. */
export type Upstreams = Pick<Config, 'acmeSupply' | 'acmeMachine'>

interface AdapterRow<Credentials> {
  readonly namespace: string
  readonly connect: (options: Credentials & Omit<AdapterOptions, 'url'>) => Vendor & Closable
  /** All of the role's, unless named. */
  readonly capabilities?: readonly VendorCapability[]
}

/** Every adapter of the service, one row each. The first live one of a role is its default. */
const ADAPTERS: { readonly [K in keyof Upstreams]: AdapterRow<NonNullable<Upstreams[K]>> } = {
  acmeSupply: { namespace: 'acme-supply', connect: acmeSupply },
  acmeMachine: { namespace: 'acme-machine', connect: acmeMachine },
}

export interface Deployment {
  readonly vendors: Registry
  close(): Promise<void>
}

interface Needs {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

export function deployVendors(upstreams: Upstreams, needs: Needs): Deployment {
  const connected: Closable[] = []
  const entries = (Object.keys(ADAPTERS) as (keyof Upstreams)[]).map((setting) => {
    // The row and the credentials of one setting fit together; the compiler cannot follow that through a list.
    const { namespace, connect, capabilities } = ADAPTERS[setting] as AdapterRow<object>
    const credentials = upstreams[setting]
    const id = parseNamespace(namespace)
    assert(id, `${namespace} is not a valid namespace`)
    if (!credentials) return planned(id)
    const adapter = connect({ ...credentials, ...optionsFor(namespace, needs) })
    connected.push(adapter)
    return live(id, cached(adapter, needs.clock), capabilities)
  })
  return {
    vendors: registry(entries),
    close: async () => void (await Promise.all(connected.map((adapter) => adapter.close()))),
  }
}

const cached = (adapter: Vendor, clock: Clock): Vendor =>
  adapter.role === 'supply' ? cachedSupply(adapter, clock) : cachedMachine(adapter, clock)

const optionsFor = (namespace: string, { clock, log, timeoutMs }: Needs) => ({
  clock,
  timeoutMs,
  observe: (call: CallRecord) => {
    if (call.outcome === 'ok') log.debug({ namespace, ...call }, 'upstream answered')
    else log.warn({ namespace, ...call }, 'upstream call failed')
  },
  notice: (text: string) => log.warn({ namespace }, text),
})
