/** Tables of the store itself: leases, counters, applied migrations and what holds for the whole database. */
export interface LeaseTable {
  name: string
  holder: string
  /** Grows with every take-over, so that a holder that lost its lease can be recognized. */
  fence: number
  /** 0: free. Otherwise the heartbeat, which grows with every renewal. Never compared with a clock. */
  held_until: number
  /** When the job is due next, by the wall clock of the instance that last ran it. */
  next_at: number
}

export interface CounterTable {
  name: string
  value: number
}

export interface MigrationTable {
  name: string
}

/** Facts about the whole database: its currency and its id. */
export interface DeploymentTable {
  name: string
  value: string
}

/** What a write with an Idempotency-Key created. */
export interface CreatedTable {
  write_id: string
  id: string
  created_at: number
}

export interface StoreTables {
  lease: LeaseTable
  counter: CounterTable
  migration: MigrationTable
  deployment: DeploymentTable
  created: CreatedTable
}
