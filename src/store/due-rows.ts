/** The rule of `kernel/due.ts` in a query. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** `longestWait`: in ms, or the column that has it. */
export const isColumnDue = (column: string, now: number, longestWait: number | { readonly column: string }) => {
  const at = sql.ref(column)
  const latest: RawBuilder<number> =
    typeof longestWait === 'number' ? sql`${now + longestWait}` : sql`${now} + ${sql.ref(longestWait.column)}`
  return sql<SqlBool>`(${at} <= ${now} or ${at} > ${latest})`
}
