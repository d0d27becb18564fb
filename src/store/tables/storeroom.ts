/** The store room: what lies there, in which lots, what moved it, and what placed runs will take. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { identity, int, nullable, table, text, textOf } from '../table.ts'

export const STOREROOM_TABLES = {
  /** Supply products that ever were there. The sum of its lots is `units`, and so is the sum of its movements. */
  storeroom_product: table(
    {
      sku_id: text,
      title: text,
      units: int,
      /** Ten-thousandths of a minor unit for one unit: the moving average of what was paid. Null: nothing was bought yet. */
      average_cost_e4: nullable(int),
      counted_at: nullable(int),
    },
    { key: ['sku_id'] },
  ),

  storeroom_lot: table(
    {
      sku_id: text,
      /** Date; empty where it is not known. */
      best_before: text,
      units: int,
    },
    { key: ['sku_id', 'best_before'] },
  ),

  /** Appended, never written again; undoing appends the opposite. */
  storeroom_movement: table(
    {
      seq: identity,
      at: int,
      sku_id: text,
      /** Signed. */
      units: int,
      kind: textOf<'bought' | 'loaded' | 'returned' | 'counted' | 'lost'>(),
      reference_type: nullable(textOf<'order' | 'run' | 'service'>()),
      reference_id: nullable(text),
      /** JSON: the lots that it changed. */
      lots: text,
      /** The average cost before it. */
      average_before_e4: nullable(int),
      /** What the units cost: paid for what was bought, by the average for all else. Null: not known. */
      cost_fen: nullable(int),
      /** Of a count: why the number changed. */
      reason: nullable(text),
      note: nullable(text),
      ...BY_COLUMNS,
    },
    {
      indexes: {
        by_product: ['sku_id', 'seq'],
        by_reference: ['reference_type', 'reference_id'],
        by_time: ['at', 'seq'],
      },
    },
  ),

  /** What a placed run will still take out of the store room. */
  storeroom_reservation: table({ run: text, sku_id: text, units: int }, { key: ['run', 'sku_id'] }),
}
