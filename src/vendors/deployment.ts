/** The vendors of a deployment: its connections, opened. The first live one of a role is its default. */
import { resolve } from 'node:path'
import { type Clock, MINUTE } from '../kernel/clock.ts'
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
import { type Registry, liveRegistry, registerLive, plannedVendor } from './registry.ts'
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

/** What holds for every connection that does not state its own. */
export type DeploymentFacts = Pick<Connection['basics'], 'currency' | 'timeZone'>

export interface Deployment {
  readonly vendors: Registry
  /** Those of the configuration, which only the server changes. */
  readonly fixed: readonly Connection[]
  /** The connections that people made, in place of those before; `waiting` have a name and cannot be used yet. */
  replace(stored: readonly Connection[], waiting?: readonly Namespace[], facts?: DeploymentFacts): void
  close(): Promise<void>
}

/** Where a deployment keeps the connections that owners make. */
export interface ConnectionFolders {
  readonly deployment: Deployment
  /** Undefined: secrets cannot be kept. */
  readonly secretsDir: string | undefined
  /** For copies of what was uploaded: the store has it, and every instance writes its own. */
  readonly filesDir: string
}

/** Calls that began before an adapter was replaced end with it: no request takes this long. */
const RETIRE_AFTER_MS = 5 * MINUTE

export function deployVendors(fixed: readonly Connection[], needs: DeploymentNeeds): Deployment {
  const live = liveRegistry(needs.log)
  const opened = new Map<Namespace, Opened>()
  const retired = new Map<Opened, NodeJS.Timeout>()

  function retire(old: Opened): void {
    const close = () => {
      retired.delete(old)
      old.close().catch((err: unknown) => needs.log.warn({ err }, 'a replaced connection could not be closed'))
    }
    retired.set(old, setTimeout(close, RETIRE_AFTER_MS).unref())
  }

  function replace(stored: readonly Connection[], waiting: readonly Namespace[] = [], facts?: DeploymentFacts): void {
    const configured = facts ? fixed.map((connection) => withFacts(connection, facts)) : fixed
    const wanted = new Map([...stored, ...configured].map((connection) => [connection.basics.namespace, connection]))
    for (const [namespace, old] of opened)
      if (old.revision !== wanted.get(namespace)?.revision || !wanted.has(namespace)) {
        opened.delete(namespace)
        retire(old)
      }
    const order = new Set([...fixed, ...stored].map(({ basics }) => basics.namespace))
    for (const namespace of order) {
      const connection = wanted.get(namespace)
      if (connection && !opened.has(namespace)) opened.set(namespace, openForUse(connection, needs))
    }
    const names = new Set([...ACME_NAMESPACES, ...order, ...waiting])
    live.replace(
      [...names].map((namespace) => {
        const { vendor, capabilities } = opened.get(namespace) ?? {}
        return vendor ? registerLive(namespace, vendor, capabilities) : plannedVendor(namespace)
      }),
    )
  }

  replace([])
  return {
    vendors: live.vendors,
    fixed,
    replace,
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      await Promise.all([...opened.values(), ...retired.keys()].map((connection) => connection.close()))
    },
  }
}

/** One of the configuration with what holds now; opened anew where that differs. */
function withFacts(connection: Connection, { currency, timeZone: zone }: DeploymentFacts): Connection {
  const { basics, followsZone = false } = connection
  const timeZone = followsZone ? zone : basics.timeZone
  if (currency === basics.currency && timeZone === basics.timeZone) return connection
  return { ...connection, basics: { ...basics, currency, timeZone }, revision: `${currency} ${timeZone}` }
}

type Opened = ReturnType<typeof openForUse>

function openForUse(connection: Connection, needs: DeploymentNeeds) {
  const { vendor, capabilities, close } = openConnection(connection, needs)
  return { vendor: withCache(vendor, needs.clock), capabilities, close, revision: connection.revision }
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
