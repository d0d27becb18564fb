/**
 * The database cannot be used right now: it restarts, refuses connections, is full, or is locked for too long. Trying
 * again later helps. Whether the work took effect is not known: the connection may have broken during the commit.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The database cannot be used until somebody repairs it. The message is a sentence for the operator. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}
