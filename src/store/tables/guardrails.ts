/** The kill switch, as engaged at run time. */
import { int, nullable, table, text } from '../table.ts'

export const GUARDRAILS_TABLES = {
  /** The row is there while the stop is pulled; what came before stands in the events. */
  emergency_stop: table(
    {
      name: text,
      pulled_at: int,
      pulled_by: text,
      reason: text,
      /** Null when an instance of an earlier version engaged it. */
      stop_id: nullable(text),
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
}
