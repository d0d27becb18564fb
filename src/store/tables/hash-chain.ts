/** The hash chain over what must not be rewritten. */
export interface ChainEntryTable {
  /** From 1, without gaps. */
  seq: number
  at: number
  kind: string
  /** The row that changed. */
  subject: string
  by_name: string | null
  by_role: string | null
  /** JSON: what the row said after the change. */
  facts: string
  /** The hash of the entry before. */
  previous: string
  hash: string
}

export interface ChainHeadTable {
  name: 'head'
  seq: number
  hash: string
}

export interface ChainTables {
  chain_entry: ChainEntryTable
  chain_head: ChainHeadTable
}
