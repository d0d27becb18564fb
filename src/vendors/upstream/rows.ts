/**
 * Listings are read row by row. A row that is not as documented is refused alone, with its code and the reason; the
 * others are read. When more than a fifth of the rows are refused, the listing is not what was agreed on, and the whole
 * read fails: a shorter catalog must not pass for the catalog.
 */
import type { RefusedRow } from '../contract.ts'
import { sanitizeText } from './sanitize-text.ts'
import { UnreadableReply, record } from './read-json.ts'
import type { Fields } from './read-json.ts'

/** One refused row in this many is tolerated. */
const TOLERATED_ONE_IN = 5
const ID_MAX = 100

/** `raw` of the failure of a read that had too many. */
export const TOO_MANY_REFUSED = 'too many rows cannot be read'

export interface RowReader<T> {
  readonly kind: RefusedRow['kind']
  /** The vendor's field that names a row. */
  readonly id: string
  /** The vendor's fields in our words, for callers: the rest of a row has no name of ours. */
  readonly words: Readonly<Record<string, string>>
  readonly read: (row: Fields) => T
}

export interface ReadRows<T> {
  readonly rows: readonly T[]
  readonly refused: readonly RefusedRow[]
}

/** One row, or why it is refused. Only what the row itself says refuses it; an error of ours stays an error. */
export function readRow<T>(
  value: unknown,
  { kind, id, words, read }: RowReader<T>,
): T | { readonly refused: RefusedRow } {
  try {
    return read(record(value, kind))
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    const word = error.field === undefined ? undefined : words[error.field]
    return {
      refused: {
        kind,
        id: idOf(value, id),
        problem: `its ${word ?? 'data'} cannot be read`,
        detail: sanitizeText(error.message),
      },
    }
  }
}

export function readRows<T extends object>(values: readonly unknown[], reader: RowReader<T>): ReadRows<T> {
  const rows: T[] = []
  const refused: RefusedRow[] = []
  for (const value of values) {
    const row = readRow(value, reader)
    if ('refused' in row) refused.push(row.refused)
    else rows.push(row)
  }
  return { rows, refused }
}

export const tooManyRefused = (refused: number, total: number): boolean => refused * TOLERATED_ONE_IN > total

/** The rows of one reply, when enough of them can be read. */
export function readTolerantly<T extends object>(values: readonly unknown[], reader: RowReader<T>): ReadRows<T> {
  const read = readRows(values, reader)
  const [first] = read.refused
  if (first && tooManyRefused(read.refused.length, values.length))
    throw new UnreadableReply(`${TOO_MANY_REFUSED}: ${read.refused.length} of ${values.length}, first ${first.detail}`)
  return read
}

/** A code that would be cut is no code: it could be taken for another. */
function idOf(value: unknown, field: string): string | undefined {
  const id = typeof value === 'object' && value !== null ? (value as Fields)[field] : undefined
  if (typeof id !== 'string' || id.length > ID_MAX) return undefined
  return sanitizeText(id) || undefined
}
