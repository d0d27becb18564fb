/**
 * The namespaces of this deployment: live ones with an adapter, planned ones with a name only. There may be any
 * number of suppliers and machine platforms; the first live one of a role is its default.
 */
import assert from 'node:assert/strict'
import { type Namespace, type Role, roleOf, vendorOf } from '../kernel/ids.ts'
import { type Log, silentLog } from '../kernel/log.ts'
import { type Outcome, accept, refuse } from '../kernel/outcome.ts'
import type { Failure } from './contract.ts'
import type { Registration, Vendor, VendorCapability } from './registration.ts'
import type { MachineVendor } from './machine-vendor.ts'
import type { SupplyVendor } from './supply-vendor.ts'

/** What every adapter of a role can do unless it says otherwise. */
export const ROLE_CAPABILITIES = {
  supply: ['catalog', 'createOrder', 'orderStatus'],
  machine: ['inventory', 'ledger', 'updatePrices', 'restockRecommend'],
} as const satisfies Record<Role, readonly VendorCapability[]>

const EXTRA_CAPABILITIES = {
  supply: ['orderByHand', 'quote'],
  machine: ['locations', 'health', 'cash'],
} as const satisfies Record<Role, readonly VendorCapability[]>

/** Everything that a vendor of a role could do. */
export const possibleCapabilities = (role: Role): readonly VendorCapability[] => [
  ...ROLE_CAPABILITIES[role],
  ...EXTRA_CAPABILITIES[role],
]

export interface RegisteredVendor {
  readonly registration: Registration
  readonly adapter?: Vendor
}

/** A vendor that cannot do everything names its capabilities and answers the other calls with `unsupported`. */
export const registerLive = (
  namespace: Namespace,
  adapter: Vendor,
  capabilities: readonly VendorCapability[] = ROLE_CAPABILITIES[adapter.role],
): RegisteredVendor => ({
  registration: { namespace, vendor: vendorOf(namespace), role: adapter.role, status: 'live', capabilities },
  adapter,
})

export const plannedVendor = (namespace: Namespace): RegisteredVendor => ({
  registration: {
    namespace,
    vendor: vendorOf(namespace),
    role: roleOf(namespace),
    status: 'planned',
    capabilities: [],
  },
})

export interface Registry {
  readonly registrations: readonly Registration[]
  readonly defaults: { readonly supply?: Namespace; readonly machine?: Namespace }
  /** `path` is where the request named it: a namespace that is not registered is the caller's mistake. */
  lookup(namespace: Namespace, path?: string): Outcome<Registration>
  supply(namespace: Namespace, path?: string): Outcome<SupplyVendor>
  machine(namespace: Namespace, path?: string): Outcome<MachineVendor>
  supports(namespace: Namespace, capability: VendorCapability): boolean
}

export function registry(entries: readonly RegisteredVendor[], log: Log = silentLog): Registry {
  const known = new Map<Namespace, RegisteredVendor>()
  for (const entry of entries) {
    const { namespace } = entry.registration
    assertConsistent(entry)
    assert(!known.has(namespace), `${namespace} is registered twice`)
    known.set(namespace, { ...entry, ...(entry.adapter && { adapter: contracted(namespace, entry.adapter, log) }) })
  }
  const defaultOf = (role: Role) =>
    entries.find(({ registration }) => registration.role === role && registration.status === 'live')?.registration
      .namespace
  const [supply, machine] = [defaultOf('supply'), defaultOf('machine')]

  const lookup = (namespace: Namespace, path?: string): Outcome<RegisteredVendor> => {
    const entry = known.get(namespace)
    return entry ? accept(entry) : refuse('invalid', `Namespace "${namespace}" is not registered`, path)
  }

  function adapter<V extends Vendor>(role: V['role'], namespace: Namespace, path?: string): Outcome<V> {
    const found = lookup(namespace, path)
    if (!found.ok) return found
    const { registration, adapter } = found.value
    if (registration.role !== role) return refuse('namespace_mismatch', `${namespace} is not a ${role} namespace`, path)
    if (!adapter) return refuse('namespace_unsupported', `${namespace} is planned but not live yet`, path)
    assert(adapter.role === role)
    return accept(adapter as V)
  }

  return {
    registrations: entries.map((entry) => entry.registration),
    defaults: { ...(supply && { supply }), ...(machine && { machine }) },
    lookup(namespace, path) {
      const found = lookup(namespace, path)
      return found.ok ? accept(found.value.registration) : found
    },
    supply: (namespace, path) => adapter<SupplyVendor>('supply', namespace, path),
    machine: (namespace, path) => adapter<MachineVendor>('machine', namespace, path),
    supports: (namespace, capability) => known.get(namespace)?.registration.capabilities.includes(capability) ?? false,
  }
}

/**
 * Days until everything of an order has come, as stated: the longest of the suppliers that take orders. One for which nobody
 * stated it has the days of the configuration.
 */
export function statedLeadDays(vendors: Registry, configuredDays: number): number {
  const days = vendors.registrations.flatMap(({ namespace, role, status, capabilities }) => {
    if (role !== 'supply' || status !== 'live' || !capabilities.includes('createOrder')) return []
    const vendor = vendors.supply(namespace)
    return vendor.ok ? [vendor.value.leadDays ?? configuredDays] : []
  })
  return days.length === 0 ? configuredDays : Math.max(...days)
}

/** A registry whose entries can be replaced: the same object, so that whoever has it sees the entries of now. */
export function liveRegistry(log: Log = silentLog) {
  let current = registry([], log)
  const vendors: Registry = {
    get registrations() {
      return current.registrations
    },
    get defaults() {
      return current.defaults
    },
    lookup: (namespace, path) => current.lookup(namespace, path),
    supply: (namespace, path) => current.supply(namespace, path),
    machine: (namespace, path) => current.machine(namespace, path),
    supports: (namespace, capability) => current.supports(namespace, capability),
  }
  return { vendors, replace: (entries: readonly RegisteredVendor[]) => void (current = registry(entries, log)) }
}

/** By adapter: one that stays in a registry whose entries are replaced stays the same object. */
const contractedAdapters = new WeakMap<Vendor, Vendor>()
const contracted = (namespace: Namespace, adapter: Vendor, log: Log): Vendor =>
  contractedAdapters.getOrInsertComputed(adapter, () => asContracted(namespace, adapter, log))

type Call = (...args: readonly unknown[]) => unknown

/** These answer something else than a `Result`: what they throw is the caller's to handle. */
const THROWS: ReadonlySet<string> = new Set([
  'recordPlaced',
  'recordCanceled',
  'lastCatalog',
  'unreadableFiles',
  'journaledRefs',
] satisfies (keyof SupplyVendor)[])

/**
 * The same adapter; a failure names the connection. An adapter must not throw. One that does leaves the outcome as unknown as
 * a lost connection: it is caught here and nowhere else.
 */
function asContracted(namespace: Namespace, adapter: Vendor, log: Log): Vendor {
  const nameFailure = (result: unknown): unknown => (isFailure(result) ? { ...result, namespace } : result)
  const members = Object.entries(adapter).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member]
    const toFailure = (err: unknown): Failure => {
      if (THROWS.has(name)) throw err
      log.error({ err, namespace, call: name }, 'An adapter threw instead of answering')
      return { ok: false, reason: 'unknown', namespace, message: NO_ANSWER[adapter.role], raw: String(err) }
    }
    const call: Call = (...args) => {
      try {
        // Looked up with each call, as an adapter's own methods are.
        const result = (adapter as unknown as Record<string, Call>)[name]?.(...args)
        // Some answer at once: what they know, such as the last catalog.
        return result instanceof Promise ? result.then(nameFailure, toFailure) : result
      } catch (err) {
        // Before it returned a promise.
        return Promise.resolve(toFailure(err))
      }
    }
    return [name, call]
  })
  return Object.fromEntries(members) as Vendor
}

const NO_ANSWER: Readonly<Record<Role, string>> = {
  supply: 'The supplier did not answer',
  machine: 'The machine platform did not answer',
}

const isFailure = (result: unknown): result is Failure =>
  typeof result === 'object' && result !== null && 'ok' in result && result.ok === false

/** A registration that contradicts itself is a mistake in the deployment and stops the start. */
function assertConsistent({ registration, adapter }: RegisteredVendor): void {
  const { namespace, role, status, vendor, capabilities } = registration
  assert(role === roleOf(namespace) && vendor === vendorOf(namespace), `${namespace} is not of ${vendor} and ${role}`)
  assert((status === 'live') === (adapter !== undefined), `${namespace} is ${status}: an adapter belongs to live ones`)
  assert(!adapter || adapter.role === role, `${namespace} has an adapter of another role`)
  const possible: readonly VendorCapability[] = status === 'live' ? possibleCapabilities(role) : []
  for (const name of capabilities) assert(possible.includes(name), `${namespace} (${status}) cannot have ${name}`)
}
