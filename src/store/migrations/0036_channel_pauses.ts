/** When a receiver outside may be called again, and what the rules file said about the emergency stop when it was last read. */
import type { Ddl } from '../migrate.ts'

export const channelPauses = ({ int, strict }: Ddl): readonly string[] => [
  `create table outbox_channel (
    channel text primary key,
    failures ${int} not null,
    paused_at ${int} not null,
    paused_until ${int} not null,
    not_before ${int} not null
  )${strict}`,
  `create table rules_file_stop (
    name text primary key,
    engaged ${int} not null,
    changed_at ${int} not null
  )${strict}`,
]
