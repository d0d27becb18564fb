/**
 * What an adapter must still know after a restart: its number for our order, the state of a document, the last counters
 * of a machine. Kept in the database, so that several instances see the same.
 */
export interface VendorMemory {
  get(key: string): Promise<Remembered | undefined>
  /** The entries whose keys start with `prefix`, by key. */
  list(prefix: string): Promise<readonly (Remembered & { readonly key: string })[]>
  /**
   * Writes only if the entry still has this version (0: there is none) and resolves to the new version once it is on
   * disk; undefined when another writer came first.
   */
  put(key: string, value: unknown, version: number): Promise<number | undefined>
}

export interface Remembered {
  /** As JSON reads it. */
  readonly value: unknown
  readonly version: number
}
