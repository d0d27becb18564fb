/** What the connections to vendors need between two calls and after a restart. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { int, nullable, table, text } from '../table.ts'

export const CONNECTIONS_TABLES = {
  vendor_memory: table(
    {
      namespace: text,
      key: text,
      /** JSON. */
      value: text,
      /** 1 for the first value; a write names the version that it replaces. */
      version: int,
    },
    { key: ['namespace', 'key'] },
  ),

  /** The last reads of a connection. It fails while the failure is the later one. */
  connection_state: table(
    {
      namespace: text,
      read_at: nullable(int),
      failed_at: nullable(int),
      failure_reason: nullable(text),
      failure: nullable(text),
    },
    { key: ['namespace'] },
  ),

  /** What was said about a pack whose size the supplier does not state for certain; the last word counts. */
  stated_pack: table(
    {
      /** Derived from the namespace, the text and the article. */
      id: text,
      namespace: text,
      /** What the supplier wrote; empty where it wrote nothing. */
      pack_text: text,
      /** Empty: all articles with this text. */
      vendor_sku: text,
      /** Null: the word was taken back. */
      contains: nullable(int),
      stated_at: int,
      ...BY_COLUMNS,
    },
    { key: ['id'] },
  ),
}
