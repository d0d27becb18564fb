/** What the connections to vendors need between two calls and after a restart. */
export interface VendorMemoryTable {
  namespace: string
  key: string
  /** JSON. */
  value: string
  /** 1 for the first value; a write names the version that it replaces. */
  version: number
}

/** The last reads of a connection. It fails while the failure is the later one. */
export interface ConnectionStateTable {
  namespace: string
  read_at: number | null
  failed_at: number | null
  failure_reason: string | null
  failure: string | null
}

export interface ConnectionsTables {
  vendor_memory: VendorMemoryTable
  connection_state: ConnectionStateTable
}
