/**
 * Whether a purchase that a person recorded as not placed frees the budget it was counted in. And whether there are rows
 * from before the hash chain, which get their entries at the next start.
 */
import type { Ddl } from '../migrate.ts'

export const budgetsAndOldRows = ({ int }: Ddl): readonly string[] => [
  `alter table checkout_attempt add column frees_budget ${int} not null default 0`,
  `insert into counter (name, value)
    select 'chain_backlog', 1 from chain_head
    where name = 'head' and (
      exists (select 1 from decision) or exists (select 1 from checkout_attempt) or exists (select 1 from price_change))`,
]
