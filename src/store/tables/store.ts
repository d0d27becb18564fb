/** Tables of the store itself: leases, counters and the migrations that were run. */
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

export interface MigrationTable {
  name: string
}

export interface StoreTables {
  lease: LeaseTable
  counter: CounterTable
  migration: MigrationTable
}
