/** The kill switch, as engaged at run time. */
import { int, table, text } from '../table.ts'

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
}
