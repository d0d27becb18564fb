/** Trials of prices and of products, with what came of them. */
import { CALLER_COLUMNS } from '../caller-columns.ts'
import { int, nullable, table, text, textOf } from '../table.ts'

const OPEN = `status in ('starting', 'running', 'taking_back')`

export const TRIALS_TABLES = {
  /** Amounts are minor units of the margin more per week, what they taught ten-thousandths, so that both databases keep them exactly. */
  trial: table(
    {
      id: text,
      kind: textOf<'price' | 'swap'>(),
      status: textOf<'starting' | 'running' | 'taking_back' | 'kept' | 'taken_back' | 'ended'>(),
      /** Why it ended so. */
      reason: nullable(textOf<'judged' | 'too_little' | 'nobody_left' | 'person'>()),
      sku_id: text,
      title: text,
      category: nullable(text),
      /** Null: machines of all venues. */
      venue_type: nullable(text),
      /** Of a swap: the slot whose product is replaced, and that product. */
      slot_id: nullable(text),
      replaced: nullable(text),
      /** Of a price: the change. */
      step_fen: nullable(int),
      /** JSON: the machines with the new price or product and those that stay. */
      members: text,
      expected_fen: int,
      expected_error_fen: int,
      measured_fen: nullable(int),
      measured_error_fen: nullable(int),
      judged_fen: nullable(int),
      judged_error_fen: nullable(int),
      /** What it taught: of a price the elasticity, of a swap the logarithm of what sold over what was expected to. */
      learned_e4: nullable(int),
      learned_error_e4: nullable(int),
      created_at: int,
      ended_at: nullable(int),
      /** From here on the job looks at it again. */
      due_at: int,
      /** Of two that change it at once, one finds another version. */
      version: int,
      ...CALLER_COLUMNS,
    },
    {
      key: ['id'],
      indexes: {
        due: { on: ['due_at'], where: OPEN },
        /** A product has at most one trial of its price at a time, a slot one of its product. */
        open_price: { unique: true, on: ['sku_id'], where: `kind = 'price' and ${OPEN}` },
        open_swap: { unique: true, on: ['slot_id'], where: `kind = 'swap' and ${OPEN}` },
        created: ['created_at', 'id'],
      },
    },
  ),
}
