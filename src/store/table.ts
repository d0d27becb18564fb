/**
 * How a table is defined: once, as a plain list of its columns. The DDL for both databases and the types of its rows follow
 * from it. Types that behave alike in both are used only: text and 64-bit integers.
 */
import type { Generated } from 'kysely'

export interface Column<Value = unknown> {
  readonly kind: 'text' | 'int' | 'identity'
  readonly isNullable?: true
  readonly default?: string | number
  readonly references?: { readonly table: string; readonly onDelete?: 'cascade' }
  /** Never set: it has the type of the value in a row. */
  readonly value?: Value
}

export const text: Column<string> = { kind: 'text' }
export const int: Column<number> = { kind: 'int' }
/** The primary key, which the database assigns in ascending order. */
export const identity: Column<Generated<number>> = { kind: 'identity' }
/** A text of which only some values are written. */
export const textOf = <Value extends string>(): Column<Value> => ({ kind: 'text' })
/** The id of a row of another table. Without `cascade` that row cannot be deleted. */
export const reference = (to: string, onDelete?: 'cascade'): Column<string> => ({
  kind: 'text',
  references: { table: to, ...(onDelete && { onDelete }) },
})
export const nullable = <Value>(column: Column<Value>): Column<Value | null> => ({ ...column, isNullable: true })
/** The value of a row that is inserted without one. */
export const withDefault = <Value extends string | number>(
  column: Column<Value>,
  value: Value,
): Column<Generated<Value>> => ({ kind: column.kind, default: value })

interface Keys<Name extends string = string> {
  /** The columns of the primary key, in their order; absent where a column is `identity`. */
  readonly key?: readonly Name[]
  /** SQLite keeps the rows in the order of the key, so that a range of keys is read at once. For large tables of short rows. */
  readonly isClustered?: true
  /** By their names without the name of the table: the columns, or more than those. */
  readonly indexes?: Readonly<Record<string, readonly Name[] | Index<Name>>>
}

interface Index<Name> {
  readonly on: readonly Name[]
  readonly unique?: true
  readonly where?: string
}

export interface Table<Columns = Readonly<Record<string, Column>>> extends Keys {
  readonly columns: Columns
}

export const table = <Columns extends Readonly<Record<string, Column>>>(
  columns: Columns,
  keys: Keys<NoInfer<keyof Columns & string>> = {},
): Table<Columns> => ({ columns, ...keys })

/** What Kysely reads from and writes to these columns. */
export type RowOf<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never
}

/** The words in which the DDL of the two databases differs. */
export interface Ddl {
  readonly int: string
  /** With its primary key. */
  readonly identity: string
  /** Appended to a table definition: SQLite checks column types only in strict tables. */
  readonly strict: string
  /** After `strict`: the rows are kept in the order of the key. */
  readonly clustered: string
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

function columnText(name: string, column: Column, ddl: Ddl): string {
  const { kind, isNullable, default: value, references } = column
  if (kind === 'identity') return `"${name}" ${ddl.identity}`
  return [
    `"${name}" ${kind === 'int' ? ddl.int : 'text'}`,
    isNullable ? '' : ' not null',
    value === undefined ? '' : ` default ${typeof value === 'number' ? value : `'${value}'`}`,
    references ? ` references ${references.table} (id)` : '',
    references?.onDelete ? ` on delete ${references.onDelete}` : '',
  ].join('')
}

/** The statements that create a table and its indexes. */
export function createTable(
  name: string,
  { columns, key, isClustered, indexes = {} }: Table,
  ddl: Ddl,
): readonly string[] {
  const parts = Object.entries(columns).map(([column, definition]) => columnText(column, definition, ddl))
  if (key) parts.push(`primary key (${quoted(key)})`)
  return [
    `create table ${name} (\n  ${parts.join(',\n  ')}\n)${ddl.strict}${isClustered ? ddl.clustered : ''}`,
    ...Object.entries(indexes).map(([suffix, index]) => {
      const { on, unique, where } = 'on' in index ? index : { on: index }
      return `create ${unique ? 'unique ' : ''}index ${name}_${suffix} on ${name} (${quoted(on)})${where === undefined ? '' : ` where ${where}`}`
    }),
  ]
}
