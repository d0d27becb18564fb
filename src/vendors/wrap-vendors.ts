/** A registry whose adapters do something more with each call: note it, or report what could not be read. */
import type { Namespace } from '../kernel/ids.ts'
import { type Outcome, accept } from '../kernel/outcome.ts'
import type { Vendor } from './registration.ts'
import type { MachineVendor } from './machine-vendor.ts'
import type { SupplyVendor } from './supply-vendor.ts'
import type { Registry } from './registry.ts'

export interface VendorWrappers {
  readonly supply: (namespace: Namespace, vendor: SupplyVendor) => SupplyVendor
  readonly machine: (namespace: Namespace, vendor: MachineVendor) => MachineVendor
}

/** Each adapter is wrapped once, when it is first asked for. */
export function wrapVendors(vendors: Registry, { supply, machine }: VendorWrappers): Registry {
  const wrapped = new WeakMap<Vendor, Vendor>()
  const wrap = <V extends Vendor>(
    found: Outcome<V>,
    namespace: Namespace,
    wrapVendor: (namespace: Namespace, vendor: V) => V,
  ): Outcome<V> =>
    found.ok ? accept(wrapped.getOrInsertComputed(found.value, () => wrapVendor(namespace, found.value)) as V) : found
  return {
    // Asked for anew each time: connections may be added and removed.
    get registrations() {
      return vendors.registrations
    },
    get defaults() {
      return vendors.defaults
    },
    lookup: (namespace, path) => vendors.lookup(namespace, path),
    supports: (namespace, capability) => vendors.supports(namespace, capability),
    supply: (namespace, path) => wrap(vendors.supply(namespace, path), namespace, supply),
    machine: (namespace, path) => wrap(vendors.machine(namespace, path), namespace, machine),
  }
}
