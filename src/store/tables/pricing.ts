/** Price changes that the service undertook. */
import type { Generated } from 'kysely'
import type { CallerColumns } from '../caller-columns.ts'

export interface PriceChangeTable extends CallerColumns {
  seq: Generated<number>
  created_at: number
  location: string
  namespace: string
  /** SHA-256 over machine and prices: the same request again is known by it. */
  fingerprint: string
  /** JSON: the lines with the prices at the time they were checked. */
  lines: string
  /** Null while the change was within the cap and needed nobody. */
  decision: string | null
  status: 'waiting' | 'approved' | 'executing' | 'unresolved' | 'done' | 'failed' | 'closed'
  attempts: number
  /** While approved or executing: from here on the job may take it up. */
  due_at: number
  /** From here on the machine is read back for this change; null while there is nothing to find out. */
  check_at: number | null
  /** How often it was read back since the last attempt. */
  checks: Generated<number>
  /** How many of the lines were last reported as standing. */
  applied: Generated<number>
  /** JSON: the sku_ids that this change changed on the machine; null before it did, and in rows of older versions. */
  applied_skus: string | null
  /** When that was reported. */
  applied_at: number | null
}

export interface PricingTables {
  price_change: PriceChangeTable
}
