/** What left the building and whose outcome is not certain. */
import { int, table, text, textOf } from '../table.ts'

export const EFFECTS_TABLES = {
  /** Its receiver is asked about it when this is due. */
  watched_effect: table(
    {
      kind: textOf<'purchase' | 'price_change'>(),
      /** The checkout session, or the price change. */
      subject: text,
      /** Who is asked: the supplier, or the machine. */
      receiver: text,
      ask_at: int,
      /** Between the question before and `ask_at`: further away than this, the clock was set back and the question is due. */
      interval_ms: int,
      times_asked: int,
      /** Sum of the intervals that ended with the receiver knowing nothing of it. */
      absent_ms: int,
      /** Position in the queue: grows with every question, so the least recently asked comes first, whatever the clock says. */
      turn: int,
    },
    { key: ['kind', 'subject'], indexes: { turn: ['kind', 'turn'] } },
  ),
}
