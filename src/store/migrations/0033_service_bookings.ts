/** A visit entered without a network happened before it was booked; it can be undone for ten minutes after that. */
import type { Ddl } from '../migrate.ts'

export const serviceBookings = ({ int }: Ddl): readonly string[] => [
  `alter table service add column booked_at ${int} not null default 0`,
  `update service set booked_at = at`,
  `alter table run_line add column booked_at ${int}`,
  `update run_line set booked_at = delivered_at where service is not null`,
]
