/** A database as SQL text: its tables as the migrations create them, and its rows. */
import { sql } from 'kysely'
import { DDL } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { TABLES } from '../../src/store/schema.ts'
import type { Store } from '../../src/store/store.ts'
import { type Column, type Table, createTable } from '../../src/store/table.ts'

const literal = (value: string | number | null | undefined): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? null)

export async function dumpDatabase({ db, kind }: Store): Promise<string> {
  const ddl = DDL[kind]
  const created = Object.values(MIGRATIONS).flatMap((statements) => statements(ddl))
  const isPostgres = kind === 'postgres'
  const lines = [
    // The rows are in the order of the tables, whichever refers to which.
    isPostgres ? 'set session_replication_role = replica' : 'pragma foreign_keys = off',
    ...createTable('migration', TABLES.migration, ddl),
    ...created.filter((statement) => statement.startsWith('create')),
  ]
  for (const [name, table] of Object.entries<Table>(TABLES)) {
    const columns = Object.entries<Column>(table.columns)
    const names = columns.map(([column]) => `"${column}"`).join(', ')
    const { rows } = await sql.raw<Record<string, string | number | null>>(`select ${names} from ${name}`).execute(db)
    const values = rows.map((row) => `(${columns.map(([column]) => literal(row[column])).join(', ')})`).toSorted()
    if (values.length > 0)
      lines.push(
        `insert into ${name} (${names})${isPostgres ? ' overriding system value' : ''} values\n${values.join(',\n')}`,
      )
    const identity = columns.find(([, column]) => column.kind === 'identity')?.[0]
    if (isPostgres && identity !== undefined && values.length > 0)
      lines.push(
        `select setval(pg_get_serial_sequence('${name}', '${identity}'), (select max("${identity}") from ${name}))`,
      )
  }
  return `${lines.join(';\n')};\n`
}
