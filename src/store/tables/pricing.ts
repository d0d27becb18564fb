/** Price changes that the service undertook. */
import { CALLER_COLUMNS } from '../caller-columns.ts'
import { identity, int, nullable, table, text, textOf, withDefault } from '../table.ts'

export const PRICING_TABLES = {
  price_change: table(
    {
      seq: identity,
      created_at: int,
      location: text,
      namespace: text,
      /** SHA-256 over machine and prices: the same request again is known by it. */
      request_hash: text,
      /** JSON: the lines with the prices at the time they were checked. */
      lines: text,
      /** Null while the change was within the cap and needed nobody. */
      decision: nullable(text),
      status: textOf<'waiting' | 'approved' | 'executing' | 'unknown' | 'done' | 'failed' | 'closed'>(),
      attempts: int,
      /** While approved or executing: from here on the job may take it up. */
      due_at: int,
      /** How many of the lines were last reported as standing. */
      applied: withDefault(int, 0),
      /** JSON: the sku_ids that this change changed on the machine; null before it did, and in rows of older versions. */
      applied_skus: nullable(text),
      /** When that was reported. */
      applied_at: nullable(int),
      ...CALLER_COLUMNS,
    },
    {
      indexes: {
        due: { on: ['due_at'], where: `status in ('approved', 'executing')` },
        open: { on: ['location'], where: `status in ('executing', 'unknown')` },
        request: ['request_hash', 'seq'],
      },
    },
  ),
}
