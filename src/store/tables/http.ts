/** Tables of the HTTP layer: stored replies by idempotency key, sessions of the console, and OAuth. */
import type { PersonRole } from '../../kernel/person.ts'
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
      /** The passkey it was signed in with, where it was one. */
      passkey: nullable(text),
    },
    { key: ['hash'], indexes: { expiry: ['expires_at'] } },
  ),

  /** Programs that registered themselves. */
  oauth_client: table(
    { id: text, name: text, /** A JSON list. */ redirect_uris: text, created_at: int },
    { key: ['id'] },
  ),

  /** What an owner agreed to, until the program has taken it. */
  oauth_code: table(
    {
      /** SHA-256 of the code. */
      hash: text,
      client_id: text,
      redirect_uri: text,
      challenge: text,
      role: textOf<PersonRole>(),
      autonomous: int,
      granted_by: text,
      expires_at: int,
      used_at: nullable(int),
      /** Whose key it became. */
      person: nullable(text),
    },
    { key: ['hash'] },
  ),

  /** The connection of a program: the person that it is here, and what renews its key. */
  oauth_grant: table(
    {
      id: text,
      person: text,
      client_id: text,
      /** SHA-256 of the only refresh token that works. */
      refresh_hash: text,
      expires_at: int,
    },
    { key: ['id'], indexes: { person: ['person'], client: ['client_id'], expiry: ['expires_at'] } },
  ),
}
