/** The event log. */
import { CALLER_COLUMNS } from '../caller-columns.ts'
import { TEXT_COLUMNS } from '../text-columns.ts'
import { identity, int, nullable, table, text, textOf, withDefault } from '../table.ts'

export const EVENTS_TABLES = {
  event: table(
    {
      seq: identity,
      stored_at: int,
      occurred_at: int,
      kind: text,
      summary: text,
      reasoning: text,
      location: nullable(text),
      source: withDefault(textOf<'service' | 'caller'>(), 'service'),
      /** Who wrote a caller's event; null where nobody recorded it. */
      author: nullable(text),
      ...CALLER_COLUMNS,
      ...TEXT_COLUMNS,
    },
    {
      indexes: {
        kind: ['kind', 'seq'],
        location: ['location', 'seq'],
      },
    },
  ),
}
