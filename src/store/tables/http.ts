/** Tables of the HTTP layer: stored replies by idempotency key, and sessions of the console. */
export interface IdempotencyTable {
  /** Method, path and key: a key applies only to the method and path it came with. */
  scope: string
  fingerprint: string
  state: 'running' | 'done'
  /** While running: the heartbeat, which grows with every renewal. Never compared with a clock. */
  held_until: number
  holder: string
  status: number | null
  headers: string | null
  body: string | null
  created_at: number
}

export interface ConsoleSessionTable {
  /** HMAC of the cookie's value under the operator token, so that the stored value does not sign anyone in. */
  hash: string
  created_at: number
  expires_at: number
  /** The key it was signed in with; null: the operator token. */
  key_hash: string | null
}

export interface HttpTables {
  idempotency: IdempotencyTable
  console_session: ConsoleSessionTable
}
