/** What owners have set for the whole deployment. */
import { identity, int, nullable, table, text } from '../table.ts'

export const SETTINGS_TABLES = {
  /** Rows are never deleted: the last one of a setting holds. */
  setting_change: table({
    seq: identity,
    setting: text,
    /** JSON; null: not set. */
    before: nullable(text),
    after: nullable(text),
    changed_at: int,
    changed_by: text,
  }),
}
