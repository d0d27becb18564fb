/**
 * The database cannot be used right now: it restarts, refuses connections, is full, or was locked for too long. Trying
 * again later helps. Whether the work took effect is unknown, because the connection may have broken during the commit.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The database cannot be used until the operator repairs it. The message is written for the operator. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}
