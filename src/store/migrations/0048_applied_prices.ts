/** Which products a price change changed on the machine, and when. */
import type { Ddl } from '../migrate.ts'

export const appliedPrices = ({ int }: Ddl): readonly string[] => [
  'alter table price_change add column applied_skus text',
  `alter table price_change add column applied_at ${int}`,
]
