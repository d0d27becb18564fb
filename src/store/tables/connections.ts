/** What the connections to vendors need between two calls and after a restart. */
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
}
