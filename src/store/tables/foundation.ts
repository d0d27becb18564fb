/**
 * What every capability stands on. Conventions for both databases: instants are epoch ms, amounts are fen, booleans
 * are 0/1, JSON is text that we write and read ourselves, so that SQLite and PostgreSQL sort and compare alike.
 */
import type { Generated } from 'kysely'
import type { CallerColumns } from '../caller-columns.ts'

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

export interface LeaseTable {
  name: string
  holder: string
  /** Grows with every take-over: a holder that lost its lease can be told apart. */
  fence: number
  /** 0: nobody holds it. Else it grows with every renewal, and is compared with itself only. */
  held_until: number
  /** When the job is due next, by the wall clock of the instance that ran it last. */
  next_at: number
}

export interface CounterTable {
  name: string
  value: number
}

export interface EventTable extends CallerColumns {
  seq: Generated<number>
  stored_at: number
  occurred_at: number
  kind: string
  summary: string
  reasoning: string
  location: string | null
  source: Generated<'service' | 'caller'>
  /** Who wrote a caller's event; null where nobody recorded it. */
  author: string | null
  /** Set on refusals: an identical one within a minute is counted here instead of written anew. */
  fold_key: string | null
  occurrences: Generated<number>
}

export interface ConsoleSessionTable {
  /** HMAC of the cookie's value under the operator token: what is stored opens nothing. */
  hash: string
  created_at: number
  expires_at: number
}

export interface MigrationTable {
  name: string
}

export interface FoundationTables {
  migration: MigrationTable
  idempotency: IdempotencyTable
  lease: LeaseTable
  counter: CounterTable
  event: EventTable
  console_session: ConsoleSessionTable
}
