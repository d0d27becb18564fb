/** What the connections to vendors need between two calls and after a restart. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { int, nullable, table, text, textOf } from '../table.ts'

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

  /** A connection that an owner made; those of the configuration are not here. One that was removed stays as a row. */
  hosted_connection: table(
    {
      namespace: text,
      adapter: text,
      /** JSON; where a secret belongs, the name of its file. */
      settings: text,
      is_read_only: int,
      time_zone: nullable(text),
      id_prefix: nullable(text),
      /** Grows with every change. */
      revision: int,
      created_at: int,
      changed_at: int,
      removed_at: nullable(int),
      ...BY_COLUMNS,
    },
    { key: ['namespace'] },
  ),

  /** Whose account a namespace stands for, also of connections that were removed and of those of the configuration. */
  connection_account: table({ namespace: text, adapter: text, account: text }, { key: ['namespace'] }),

  /** Files that people uploaded. The latest state counts; what was replaced loses its content. */
  connection_file: table(
    {
      id: text,
      namespace: text,
      kind: text,
      name: text,
      /** SHA-256 of the bytes. */
      hash: text,
      size: int,
      /** Compressed, as base64; empty once another file took its place. */
      content: text,
      state: textOf<'used' | 'waiting' | 'discarded' | 'replaced'>(),
      /** What was read in it, or why it waits. */
      summary: text,
      received_at: int,
      /** When it was last changed where it came from. */
      written_at: int,
      decided_at: nullable(int),
      ...BY_COLUMNS,
    },
    { key: ['id'], indexes: { newest: ['namespace', 'received_at', 'id'] } },
  ),

  /** Mails and files that were fetched, and parts of them that cannot be used. */
  fetched_item: table(
    {
      namespace: text,
      id: text,
      at: int,
      name: text,
      sender: nullable(text),
      /** Null: all of it is stored. */
      problem: nullable(text),
    },
    { key: ['namespace', 'id'], indexes: { problems: { on: ['at'], where: 'problem is not null' } } },
  ),

  /** The last time that the files of a connection were fetched. */
  fetch_round: table(
    { namespace: text, at: int, problem: nullable(text), failed_since: nullable(int) },
    { key: ['namespace'] },
  ),

  /** Messages that vendors sent us. */
  inbound_message: table(
    {
      namespace: text,
      /** Of the message: the same one again is not a second one. */
      id: text,
      received_at: int,
      /** JSON: the vendor's numbers of orders that it is about. */
      orders: text,
      /** As it came; null once it was processed. */
      body: nullable(text),
      processed_at: nullable(int),
    },
    {
      key: ['namespace', 'id'],
      indexes: { waiting: { on: ['received_at'], where: 'processed_at is null' } },
    },
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
