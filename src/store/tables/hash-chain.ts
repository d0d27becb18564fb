/** The hash chain over what must not be rewritten. */
import { int, nullable, table, text, textOf } from '../table.ts'

export const HASH_CHAIN_TABLES = {
  chain_entry: table(
    {
      /** From 1, without gaps. */
      seq: int,
      at: int,
      kind: text,
      /** The row that changed. */
      subject: text,
      by_name: nullable(text),
      by_role: nullable(text),
      /** JSON: what the row said after the change. */
      facts: text,
      /** The hash of the entry before. */
      previous: text,
      hash: text,
    },
    { key: ['seq'] },
  ),

  /** One row: locking it gives every entry its place. */
  chain_head: table(
    {
      name: textOf<'head'>(),
      seq: int,
      hash: text,
    },
    { key: ['name'] },
  ),
}
