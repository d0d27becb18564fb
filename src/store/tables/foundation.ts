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
  /** While running: past this instant the holder is taken for dead. */
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
  held_until: number
  /** When the job is due next, over all instances. */
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
  /** Set on refusals: an identical one within a minute is counted here instead of written anew. */
  fold_key: string | null
  occurrences: Generated<number>
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
}
