/** One operation as the client needs it at run time; the rest is types. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the host root, with `{param}`. */
  readonly path: string
  /** Reads are retried freely, writes with their idempotency key, the rest never. */
  readonly kind: 'read' | 'write' | 'once'
  readonly body?: true
  /** Where the cursor of the next page goes, and which member of the response holds the entries. */
  readonly page?: { readonly cursor: 'query' | 'body'; readonly list: string }
}
