import type { Ddl } from '../migrate.ts'

/** An approval holds up to the total it was given for, so the total is kept beside the hash of the order. */
export const approvedTotal = ({ int }: Ddl): readonly string[] => [
  `alter table checkout add column approved_total_fen ${int}`,
]
