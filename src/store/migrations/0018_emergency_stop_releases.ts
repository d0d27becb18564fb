/**
 * A stop has an id, and its release is recorded: an instance whose marker file still names a released stop must not
 * engage it again. The id may be null: rows and instances from before this migration have none.
 */
import type { Ddl } from '../migrate.ts'

export const emergencyStopReleases = (ddl: Ddl): readonly string[] => [
  `alter table emergency_stop add column stop_id text`,
  `create table emergency_stop_release (
    stop_id text primary key,
    released_at ${ddl.int} not null
  )${ddl.strict}`,
]
