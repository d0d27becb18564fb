/** A vendor of either kind, and its entry in the namespace registry. */
import type { Namespace, Role } from '../kernel/ids.ts'
import type { MachineVendor } from './machine-vendor.ts'
import type { SupplyVendor } from './supply-vendor.ts'

export type Vendor = SupplyVendor | MachineVendor

export type VendorCapability =
  | 'catalog'
  | 'createOrder'
  /** What is ordered is a document that a person sends. */
  | 'orderByHand'
  | 'orderStatus'
  | 'inventory'
  | 'ledger'
  | 'updatePrices'
  | 'restockRecommend'
  | 'quote'
  | 'locations'
  | 'health'
  | 'cash'

/** One entry of the namespace registry. A planned one has a name but no adapter. */
export interface Registration {
  readonly namespace: Namespace
  readonly vendor: string
  readonly role: Role
  readonly status: 'live' | 'planned'
  readonly capabilities: readonly VendorCapability[]
}
