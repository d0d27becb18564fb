/** Tables of the HTTP layer: stored replies by idempotency key, and sessions of the console. */
import { int, nullable, table, text, textOf } from '../table.ts'

export const HTTP_TABLES = {
  idempotency: table(
    {
      /** Method, path and key: a key applies only to the method and path it came with. */
      scope: text,
      request_hash: text,
      state: textOf<'running' | 'done'>(),
      /** While running: the heartbeat, which grows with every renewal. Never compared with a clock. */
      held_until: int,
      holder: text,
      status: nullable(int),
      headers: nullable(text),
      body: nullable(text),
      created_at: int,
    },
    { key: ['scope'], indexes: { created: ['created_at'] } },
  ),

  console_session: table(
    {
      /** HMAC of the cookie's value under the operator token, so that the stored value does not sign anyone in. */
      hash: text,
      created_at: int,
      expires_at: int,
      /** The key it was signed in with; null: the operator token. */
      key_hash: nullable(text),
    },
    { key: ['hash'], indexes: { expiry: ['expires_at'] } },
  ),
}
