/**
 * Reads listings row by row. A row that does not match the documentation is unreadable: it is left out, with
 * its code and the reason. When more than a fifth of the rows are unreadable, the whole read fails: a shorter catalog must
 * not pass for the catalog.
 */
import type { UnreadableRow } from '../contract.ts'
import { sanitizeText } from './sanitize-text.ts'
import { type Fields, UnreadableReply, isFields, object } from './read-json.ts'

/** At most one row in this many may be unreadable. */
const TOLERATED_ONE_IN = 5
const ID_MAX = 100

/** Begins `raw` of the failure when too many rows are unreadable. */
export const TOO_MANY_UNREADABLE = 'too many rows cannot be read'

export interface RowReader<T> {
  readonly kind: UnreadableRow['kind']
  /** The vendor's field with the code of a row, or how that is read. */
  readonly id: string | ((row: Fields) => string | undefined)
  /** What callers read instead of the vendor's field names. */
  readonly fieldNames: Readonly<Record<string, string>>
  readonly read: (row: Fields) => T
}

export interface ReadRows<T> {
  readonly rows: readonly T[]
  readonly unreadable: readonly UnreadableRow[]
}

/** A row whose problem is not that a field is unreadable. */
export class UnusableRow extends UnreadableReply {
  readonly problem: string

  constructor(problem: string, detail: string) {
    super(detail)
    this.problem = problem
  }
}

/** One row, or why it is unreadable. Only data of the upstream makes a row unreadable; a bug of ours still throws. */
export function readRow<T>(
  value: unknown,
  { kind, id, fieldNames, read }: RowReader<T>,
): T | { readonly unreadable: UnreadableRow } {
  try {
    return read(object(value, kind))
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    const name = error.field === undefined ? undefined : fieldNames[error.field]
    return {
      unreadable: {
        kind,
        id: idOf(value, id),
        problem: error instanceof UnusableRow ? error.problem : `its ${name ?? 'data'} cannot be read`,
        detail: sanitizeText(error.message),
      },
    }
  }
}

export function readRows<T extends object>(values: readonly unknown[], reader: RowReader<T>): ReadRows<T> {
  const rows: T[] = []
  const unreadable: UnreadableRow[] = []
  for (const value of values) {
    const row = readRow(value, reader)
    if ('unreadable' in row) unreadable.push(row.unreadable)
    else rows.push(row)
  }
  return { rows, unreadable }
}

export const hasTooManyUnreadable = (unreadable: number, total: number): boolean =>
  unreadable * TOLERATED_ONE_IN > total

/** Like `readRows`, but throws when too many rows are unreadable. */
export function readTolerantly<T extends object>(values: readonly unknown[], reader: RowReader<T>): ReadRows<T> {
  const read = readRows(values, reader)
  const [first] = read.unreadable
  if (first && hasTooManyUnreadable(read.unreadable.length, values.length))
    throw new UnreadableReply(
      `${TOO_MANY_UNREADABLE}: ${read.unreadable.length} of ${values.length}, first ${first.detail}`,
    )
  return read
}

/** Undefined for a code that is too long: a truncated one could be mistaken for another. */
function idOf(value: unknown, field: RowReader<unknown>['id']): string | undefined {
  if (!isFields(value)) return undefined
  const id = typeof field === 'string' ? value[field] : field(value)
  if (typeof id !== 'string' || id.length > ID_MAX) return undefined
  return sanitizeText(id) || undefined
}
