/** Counts that are typed or pasted into a table. What is no count is marked and never sent. */

export type TypedCount =
  | { readonly kind: 'empty' }
  | { readonly kind: 'count'; readonly count: number }
  /** More than fits: sent only when somebody says that it is right. */
  | { readonly kind: 'doubtful'; readonly count: number }
  | { readonly kind: 'wrong' }

const MOST = 100_000

export function readCount(text: string | undefined, capacity: number | null | undefined): TypedCount {
  const typed = text?.trim() ?? ''
  if (typed === '') return { kind: 'empty' }
  // Spreadsheets write 12.0 and 12,0 for a whole number, and never 1.200 for one: that could be either.
  const [, digits] = /^(\d{1,6})(?:[.,]0)?$/.exec(typed) ?? []
  const count = digits === undefined ? Number.NaN : Number(digits)
  if (!(count <= MOST)) return { kind: 'wrong' }
  return { kind: typeof capacity === 'number' && count > capacity ? 'doubtful' : 'count', count }
}

/** The first column of what was copied in a spreadsheet, one cell a row. Undefined: one cell only, which is pasted as usual. */
export function pastedCells(text: string): readonly string[] | undefined {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.length < 2 ? undefined : lines.map((line) => (line.split('\t')[0] ?? '').trim())
}
