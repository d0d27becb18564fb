/** What the plan said of a slot when a run was made, for whoever has to approve it. */
import type { Ddl } from '../migrate.ts'

export const runLinePlan = ({ int }: Ddl): readonly string[] => [
  `alter table run_line add column stock ${int}`,
  // Hundredths: no float is stored where a number is compared.
  `alter table run_line add column rate_hundredths ${int}`,
  `alter table run_line add column cover_tenths ${int}`,
]
