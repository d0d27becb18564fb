/** What the client needs to know about an operation at run time; everything else is types. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the host root, with `{param}`. */
  readonly path: string
  /** Reads may be retried, writes only with the same idempotency key, `once` never. */
  readonly kind: 'read' | 'write' | 'once'
  readonly body?: true
  /** The body is a form with a file. */
  readonly upload?: true
  /** Where the cursor of the next page goes, and which member of the response holds the entries. */
  readonly page?: { readonly cursor: 'query' | 'body'; readonly list: string }
}
