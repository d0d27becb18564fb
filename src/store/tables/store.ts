/** Tables of the store itself: leases, counters, applied migrations and what holds for the whole database. */
import { int, table, text } from '../table.ts'

export const STORE_TABLES = {
  lease: table(
    {
      name: text,
      holder: text,
      /** Grows with every take-over, so that a holder that lost its lease can be recognized. */
      fence: int,
      /** 0: free. Otherwise the heartbeat, which grows with every renewal. Never compared with a clock. */
      held_until: int,
      /** When the job is due next, by the wall clock of the instance that last ran it. */
      next_at: int,
    },
    { key: ['name'] },
  ),

  counter: table({ name: text, value: int }, { key: ['name'] }),

  migration: table({ name: text }, { key: ['name'] }),

  /** Facts about the whole database: its currency and its id. */
  deployment: table({ name: text, value: text }, { key: ['name'] }),

  /** What a write with an Idempotency-Key created. */
  created: table(
    {
      write_id: text,
      id: text,
      created_at: int,
    },
    { key: ['write_id'], indexes: { at: ['created_at'] } },
  ),
}
