/** What callers keep for themselves: notes, and when they want to be reminded. */
import { int, table, text } from '../table.ts'

export const NOTES_TABLES = {
  note: table(
    {
      /** The id of the key, or `token`. */
      holder: text,
      name: text,
      text: text,
      updated_at: int,
    },
    { key: ['holder', 'name'] },
  ),

  /** Deleted when it is due. */
  reminder: table(
    {
      id: text,
      holder: text,
      /** The name of the key, for the event. */
      by_name: text,
      at: int,
      text: text,
      created_at: int,
    },
    { key: ['id'], indexes: { due: ['at'], holder: ['holder'] } },
  ),
}
