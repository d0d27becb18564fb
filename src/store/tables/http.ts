/** Tables of the HTTP layer: kept replies of keyed requests, and sessions of the console. */
export interface IdempotencyTable {
  /** Method, path and key: a key means something only for the request line it came with. */
  scope: string
  fingerprint: string
  state: 'running' | 'done'
  /** While running: grows with every renewal, and is compared with itself only. */
  held_until: number
  holder: string
  status: number | null
  headers: string | null
  body: string | null
  created_at: number
}

export interface ConsoleSessionTable {
  /** HMAC of the cookie's value under the operator token: what is stored opens nothing. */
  hash: string
  created_at: number
  expires_at: number
}

export interface HttpTables {
  idempotency: IdempotencyTable
  console_session: ConsoleSessionTable
}
