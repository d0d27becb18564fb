/**
 * What each attempt commits to spend, from whom and by whom, so that limits per day and week can add it up. Attempts from
 * before name no one; their totals are those of their sessions, which cannot change once an order may exist.
 */
import type { Ddl } from '../migrate.ts'

export const spending = ({ int }: Ddl): readonly string[] => [
  `alter table checkout_attempt add column supplier text`,
  `alter table checkout_attempt add column buyer_key text`,
  `alter table checkout_attempt add column total_fen ${int}`,
  `update checkout_attempt set
    supplier = (select vendor from checkout where checkout.id = checkout_attempt.checkout),
    total_fen = (select total_fen from checkout where checkout.id = checkout_attempt.checkout)`,
  `create index checkout_attempt_by_claim on checkout_attempt (claimed_at)`,
]
