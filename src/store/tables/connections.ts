/** What the connections to vendors need between two calls and after a restart. */
export interface VendorMemoryTable {
  namespace: string
  key: string
  /** JSON. */
  value: string
  /** 1 for the first value; a write names the version that it replaces. */
  version: number
}

export interface ConnectionsTables {
  vendor_memory: VendorMemoryTable
}
