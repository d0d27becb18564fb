/** The vendors of a deployment: its connections, opened. The first live one of a role is its default. */
import { resolve } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import type { Namespace } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import type { AdapterNeeds } from './adapter-module.ts'
import { cachedMachine, cachedSupply } from './cache/cached-vendors.ts'
import { type Connection, ACME_NAMESPACES } from './connections/connection.ts'
import { readingCapabilities, readOnlyVendor, withIdPrefix } from './connections/restrict-vendor.ts'
import type { Vendor } from './registration.ts'
import type { VendorMemory } from './memory.ts'
import type { OrderJournal } from './order-journal.ts'
import type { StatedPack } from './packs.ts'
import { registerLive, plannedVendor, registry } from './registry.ts'
import type { CallRecord } from './upstream/client.ts'

export interface DeploymentNeeds {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
  memory(namespace: Namespace): VendorMemory
  journal?(namespace: Namespace): OrderJournal
  statedPacks?(namespace: Namespace): Promise<readonly StatedPack[]>
  /** See AdapterNeeds. */
  ledgerChanged(namespace: Namespace, fromMs?: number): void
}

export function deployVendors(connections: readonly Connection[], needs: DeploymentNeeds) {
  const opened = new Map(
    connections.map((connection) => [connection.basics.namespace, openConnection(connection, needs)]),
  )
  const names = new Set([...ACME_NAMESPACES, ...opened.keys()])
  return {
    vendors: registry(
      [...names].map((namespace) => {
        const connection = opened.get(namespace)
        if (!connection) return plannedVendor(namespace)
        const { vendor, capabilities } = connection
        return registerLive(namespace, withCache(vendor, needs.clock), capabilities)
      }),
      needs.log,
    ),
    close: async () => void (await Promise.all([...opened.values()].map((connection) => connection.close()))),
  }
}

/** Without a cache: every read reaches the vendor. */
export function openConnection(connection: Connection, needs: DeploymentNeeds) {
  const { module, settings, basics, idPrefix } = connection
  const { vendor: adapter, capabilities, verify } = module.open(settings, adapterNeeds(connection, needs))
  const vendor = adapter.role === 'machine' && idPrefix !== '' ? withIdPrefix(adapter, idPrefix) : adapter
  return {
    vendor: basics.isReadOnly ? readOnlyVendor(vendor) : vendor,
    capabilities: basics.isReadOnly ? readingCapabilities(capabilities) : capabilities,
    ...(verify && !basics.isReadOnly && { verify }),
    close: () => adapter.close(),
  }
}

const withCache = (vendor: Vendor, clock: Clock): Vendor =>
  vendor.role === 'supply' ? cachedSupply(vendor, clock) : cachedMachine(vendor, clock)

/** What the adapter of a connection gets. */
export function adapterNeeds({ basics, folder }: Connection, needs: DeploymentNeeds): AdapterNeeds {
  const { clock, log, timeoutMs } = needs
  const { namespace } = basics
  return {
    clock,
    timeoutMs,
    connection: basics,
    memory: needs.memory(namespace),
    ...(needs.journal && { journal: needs.journal(namespace) }),
    ...(needs.statedPacks && { statedPacks: needs.statedPacks.bind(needs, namespace) }),
    resolvePath: (path) => resolve(folder, path),
    reportOlderSales: (fromMs) => needs.ledgerChanged(namespace, fromMs),
    observe: (call: CallRecord) => {
      if (call.outcome === 'ok') log.debug({ namespace, ...call }, 'upstream answered')
      else log.warn({ namespace, ...call }, 'upstream call failed')
    },
    notice: (text: string) => log.warn({ namespace }, text),
  }
}
