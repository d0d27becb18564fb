/** The kill switch, as engaged at run time, and the rules as owners have set them. */
import { identity, int, nullable, table, text } from '../table.ts'

export const GUARDRAILS_TABLES = {
  /** One row while the kill switch is engaged; what came before stands in the events. */
  emergency_stop: table(
    {
      name: text,
      /** Which stop this is: a release covers one. */
      stop_id: text,
      engaged_at: int,
      engaged_by: text,
      reason: text,
    },
    { key: ['name'] },
  ),

  /** One row per stop that was released. */
  emergency_stop_release: table({ stop_id: text, released_at: int }, { key: ['stop_id'] }),

  /** One row: what the rules file said when it was last read, so that a change is noticed. */
  rules_file_stop: table(
    {
      name: text,
      engaged: int,
      changed_at: int,
    },
    { key: ['name'] },
  ),

  /** One row: each rule that an owner set, and what the file said last. */
  stored_rules: table(
    {
      name: text,
      /** Grows with every change by an owner. */
      revision: int,
      /** JSON by member: its value, and who set it. */
      members: text,
      /** 1 once a rules file was read: from then on one that is gone makes the rules unreadable. */
      file_seen: int,
    },
    { key: ['name'] },
  ),

  /** Rows are never deleted: how the rules came to be what they are. */
  rule_change: table({
    seq: identity,
    member: text,
    /** JSON; null: not set. */
    before: nullable(text),
    after: nullable(text),
    changed_at: int,
    changed_by: text,
  }),
}
