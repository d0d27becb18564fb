/** One operation as the client needs it at run time: everything else about it is types, and costs nothing. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the host root, with `{param}`. */
  readonly path: string
  /** Reads may be sent again at will, writes under one idempotency key, the rest not at all. */
  readonly kind: 'read' | 'write' | 'once'
  readonly body?: true
  /** Where the cursor of the next page goes, and which member of the answer holds the entries. */
  readonly page?: { readonly cursor: 'query' | 'body'; readonly list: string }
}
